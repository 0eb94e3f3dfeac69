/**
 * Vitest setup file. In the watched folders, records everything that the product prints, and fails the test file when a
 * key, a credential or any content of a request or a response is in it.
 */
import { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { afterAll, expect } from 'vitest';
import { interceptLogLines } from '../intercept-log-lines.ts';
import { findLeaks } from './find-leaks.ts';
import { readRecording, recordOutput, startRecording } from './output-recorder.ts';

const watchedFolders = /\/test\/(lambdas|integration|support\/planted-secrets)\//;

if (watchedFolders.test(expect.getState().testPath ?? '')) {
  startRecording();
  const unwatch = [muteInformation(), watchConsole(), ...watchProcess(), watchChildren()].reverse();
  afterAll(() => {
    // The next test file may run in the same process.
    for (const restore of unwatch) restore();
    const { writtenTexts, secrets } = readRecording();
    expect(findLeaks(writtenTexts, secrets)).toEqual([]);
  });
}

/** Lines of the functions' log that are no errors, such as those of refused requests, would hide the results of the tests. */
function muteInformation(): () => void {
  const { stdout } = process;
  const { write } = stdout;
  return interceptLogLines((line) => {
    if (JSON.parse(line).level === 'ERROR') write.call(stdout, `${line}\n`);
  });
}

/** Records calls of a test's mock too, since the mock is what the product calls then. */
function watchConsole(): () => void {
  const unwatched = console;
  const methods = new Set<unknown>(['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir']);
  globalThis.console = new Proxy(unwatched, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      return methods.has(name) && typeof method === 'function'
        ? recordingCalls(`console.${String(name)}`, method)
        : method;
    },
  });
  return () => {
    globalThis.console = unwatched;
  };
}

function watchProcess(): (() => void)[] {
  return (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = recordingCalls(`process.${name}`, write);
    return () => {
      process[name].write = write;
    };
  });
}

/** Watches the function processes of the local gateway. The admin command line prints new keys to stdout by design. */
function watchChildren(): () => void {
  const prototype = ChildProcess.prototype as unknown as { spawn: (...options: unknown[]) => unknown };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, ...options) {
    const result = spawn.apply(this, options);
    const isAdmin = this.spawnargs.some((argument) => argument.endsWith('bin/admin.ts'));
    if (!isAdmin) watchStream('stdout of a process', this.stdout);
    watchStream('stderr of a process', this.stderr);
    return result;
  };
  return () => {
    prototype.spawn = spawn;
  };
}

/** Intercepts `push`, because a listener would consume the stream. A `null` chunk is its end. */
function watchStream(place: string, stream: Readable | null): void {
  if (stream !== null) stream.push = recordingCalls(place, stream.push);
}

function recordingCalls<Wrapped extends object>(place: string, wrapped: Wrapped): Wrapped {
  return new Proxy(wrapped, {
    apply(target, self, parameters: unknown[]) {
      if (parameters[0] !== null) recordOutput(place, parameters.map(asText).join(' '));
      return Reflect.apply(target as (...parameters: unknown[]) => unknown, self, parameters);
    },
  });
}

function asText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Error) return String(value.stack);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
