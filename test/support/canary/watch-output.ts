/**
 * Set-up of every test file: where chat, reports and the local run are tested, whatever the product prints meanwhile is
 * searched when the file is done, and a key, a credential or anything that was said in a request or an answer fails it.
 */
import { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { afterAll, expect } from 'vitest';
import { findLeaks } from './find-leaks.ts';
import { noteWriting, startWatching, whatWasWritten } from './written.ts';

const watchedFolders = /\/test\/(lambdas|integration|support\/canary)\//;

if (watchedFolders.test(expect.getState().testPath ?? '')) {
  startWatching();
  const unwatch = [watchConsole(), ...watchProcess(), watchChildren()];
  afterAll(() => {
    // The next test file may run in the same process.
    for (const restore of unwatch) restore();
    const { writings, secrets } = whatWasWritten();
    expect(findLeaks(writings, secrets)).toEqual([]);
  });
}

/** Also what a test has put in the place of a method, since that is what the product calls then. */
function watchConsole(): () => void {
  const unwatched = console;
  const methods = new Set<unknown>(['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir']);
  globalThis.console = new Proxy(unwatched, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      return methods.has(name) && typeof method === 'function'
        ? noting(`console.${String(name)}`, method)
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
    process[name].write = noting(`process.${name}`, write);
    return () => {
      process[name].write = write;
    };
  });
}

/** Functions of the local gateway. The admin command line prints keys on its standard output: that is what it is for. */
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

/** Without listening, which would take from a stream what nobody else has asked for yet. Its end is a `null`. */
function watchStream(place: string, stream: Readable | null): void {
  if (stream !== null) stream.push = noting(place, stream.push);
}

function noting<Called extends object>(place: string, called: Called): Called {
  return new Proxy(called, {
    apply(target, self, given: unknown[]) {
      if (given[0] !== null) noteWriting(place, given.map(asText).join(' '));
      return Reflect.apply(target as (...given: unknown[]) => unknown, self, given);
    },
  });
}

function asText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Error) return String(value.stack);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
