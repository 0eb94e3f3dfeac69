/** Runs the command line of the local run as a child process: its output, its signals and its cleanup. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileCacheVariable } from '#lib/cache-directory.mjs';
import { controlCharactersIn } from '#test/support/control-characters.ts';
import { listProcesses } from '#test/support/processes.ts';
import { writeAssemblyFixture } from './assembly-fixture.ts';
import { probe } from './gateway-fixture.ts';
import { type InvocationQueue, startInvocationQueue } from './invocation-queue.ts';

const projectDirectory = resolve(import.meta.dirname, '../..');
const program = join(import.meta.dirname, 'command-line-process.ts');
const directory = mkdtempSync(join(tmpdir(), 'command-line-'));
let assemblyDirectory: string;
let invocations: InvocationQueue<string>;
const started: ChildProcess[] = [];

beforeAll(async () => {
  invocations = await startInvocationQueue();
  assemblyDirectory = writeAssemblyFixture({ testUrl: invocations.url, mapping: { Enabled: false } });
});

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await invocations.stop();
  rmSync(assemblyDirectory, { recursive: true });
  rmSync(directory, { recursive: true });
});

function run(options: string[] = [], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, assemblyDirectory, join(directory, 'data'), ...options], {
    env: { PATH: process.env.PATH, PORT: '0', ...compileCacheVariable(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...output }));
  return { child, output, ended };
}

/** Runs the program of `npm start`, called in the directory of this test. */
async function runMain(options: string[], environment: Record<string, string | undefined> = {}) {
  const child = spawn(process.execPath, [join(projectDirectory, 'local/main.mjs'), ...options], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
      PORT: '0',
      INIT_CWD: directory,
      GATEWAY_DATA_DIRECTORY: join(directory, 'main'),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(child);
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { exitCode, errors };
}

async function runUntilBanner(options?: string[]) {
  const running = run(options);
  await expect.poll(() => running.output.stdout).toContain('Ctrl-C stops it.');
  return running;
}

async function childrenOf(parentId: number | undefined): Promise<number[]> {
  return (await listProcesses()).flatMap((child) => (child.parentId === parentId ? [child.id] : []));
}

async function findRunning(ids: readonly number[]): Promise<number[]> {
  const running = (await listProcesses()).filter(({ isZombie }) => !isZombie);
  return ids.filter((id) => running.some((process) => process.id === id));
}

describe('Command line of the local run', () => {
  it('prints the endpoints, the API key and an example request', async () => {
    const { output } = await runUntilBanner();
    const connection = JSON.parse(readFileSync(join(directory, 'data', 'local.json'), 'utf8'));

    expect(output.stdout).toContain(`Base URL    ${connection.base_url}\n`);
    expect(output.stdout).toContain(`Chat URL    ${connection.chat_url}\n`);
    expect(output.stdout).toContain(`API key     ${connection.api_key}\n`);
    expect(output.stdout).toContain(
      `curl ${connection.base_url}/ai/chat/completions -H 'Authorization: Bearer ${connection.api_key}' -H 'Content-Type: application/json' -d '{"model":"demo/demo-1","messages":[{"role":"user","content":"Hello!"}]}'\n`,
    );
    const steps = output.stderr.split('\n').filter((line) => !line.endsWith('still running …'));
    expect(steps).toEqual([
      expect.stringMatching(/^ *\d+ s {2}Creating tables and queues …$/),
      expect.stringMatching(/^ *\d+ s {2}Starting the chat function …$/),
      '',
    ]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('stops all child processes on %s', async (signal) => {
    const { child, ended } = await runUntilBanner();
    const children = await childrenOf(child.pid);
    child.kill(signal);
    const { exitCode, stderr } = await ended;

    expect(exitCode).toBe(0);
    expect(children).toHaveLength(2);
    expect(await findRunning(children)).toEqual([]);
    expect(stderr).not.toMatch(/error/i);
  });

  it('leaves no child processes behind when the gateway is killed', async () => {
    const { child, ended } = await runUntilBanner();
    const children = await childrenOf(child.pid);
    child.kill('SIGKILL');
    await ended;

    await expect.poll(() => findRunning(children)).toEqual([]);
  });

  it('keeps the log lines of functions when the gateway is killed', async () => {
    const { child, ended } = await runUntilBanner();
    const { chat_url: url } = JSON.parse(readFileSync(join(directory, 'data', 'local.json'), 'utf8'));
    probe(url, 'chunk by chunk').catch(() => {});
    await invocations.next();
    child.kill('SIGKILL');
    await ended;

    const lines = readFileSync(join(directory, 'data', 'logs', 'Probe.log'), 'utf8');
    expect(lines).toContain('"message":"behaviour: chunk by chunk"}\n');
  });

  it('escapes what controls the terminal in the lines that it prints, and not in the log file', async () => {
    const { output } = await runUntilBanner();
    const { chat_url: url } = JSON.parse(readFileSync(join(directory, 'data', 'local.json'), 'utf8'));
    const response = await probe(url, 'none \u009b2J');
    await response.body?.cancel();

    await expect.poll(() => output.stderr).toContain('[Probe] behaviour: none \\u009b2J\n');
    expect(controlCharactersIn(output.stderr)).toEqual([]);
    const lines = readFileSync(join(directory, 'data', 'logs', 'Probe.log'), 'utf8');
    expect(lines).toContain('"message":"behaviour: none \u009b2J"}\n');
  });

  it('tells functions with --report-disconnects that a caller has hung up', async () => {
    await runUntilBanner(['--report-disconnects']);
    const { chat_url: url } = JSON.parse(readFileSync(join(directory, 'data', 'local.json'), 'utf8'));
    const controller = new AbortController();
    const response = await probe(url, 'wait for disconnect', { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    const call = await invocations.next();
    call.respond();

    expect(call.message).toBe('closed, destroyed true');
  });

  it('restarts on the data directory of a killed run with the same API key', async () => {
    const { child, ended, output } = await runUntilBanner();
    child.kill('SIGKILL');
    await ended;
    const again = await runUntilBanner();
    const keyOf = (text: string) => text.match(/pt_live_\w+/)?.[0];

    expect(keyOf(again.output.stdout)).toBe(keyOf(output.stdout));
  });

  it('reports a port that is in use in one line', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const result = await run([], { PORT: String(port) }).ended;
    other.close();

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `Port ${port} is in use: stop the program that uses it, or choose another port with PORT=<port>\n`,
    });
  });

  it.each([
    ['an invalid port', [], { PORT: 'x' }, 'PORT must be an integer from 0 to 65532, not "x"\n'],
    ['an unknown option', ['--nothing'], {}, /^Unknown option '--nothing'.*: see --help\n$/],
  ])('rejects %s', async (_, options, environment, message) => {
    const { exitCode, stderr } = await run(options, environment).ended;

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
  });

  describe('With a configuration file', () => {
    const config = join(directory, 'staging.config.json');

    beforeAll(() => writeFileSync(config, '{"chatMemoryMb":64}'));

    it.each([
      [['--config', 'staging.config.json']],
      [['-c', 'config=staging.config.json']],
      [['-c', 'config=gateway.config.ts', '--context', 'config=staging.config.json']],
    ])('uses its settings with %j, and reports invalid ones in one line', async (options) => {
      expect(await runMain(options)).toEqual({
        exitCode: 1,
        errors: 'staging.config.json: chatMemoryMb must be a whole number from 128 to 10240: got 64\n',
      });
    });

    it.each([
      [
        ['--config', 'production.config.json'],
        `The file passed with -c config=FILE does not exist: ${join(directory, 'production.config.json')}`,
      ],
      [
        ['-c', 'chatMemoryMb=512'],
        'chatMemoryMb cannot be set with -c or in cdk.json: set it in gateway.config.ts, or in the file passed with -c config=FILE',
      ],
      [
        ['-c', 'staging.config.json'],
        '-c must be NAME=VALUE, such as -c config=staging.config.ts: see --help',
      ],
    ])('rejects %j', async (options, message) => {
      expect(await runMain(options)).toEqual({ exitCode: 1, errors: `${message}\n` });
    });
  });

  it('reports a build cache that others can access in one line', async () => {
    const cache = join(directory, 'shared-cache', 'ai-gateway');
    mkdirSync(cache, { recursive: true, mode: 0o755 });

    expect(await runMain([], { XDG_CACHE_HOME: dirname(cache) })).toEqual({
      exitCode: 1,
      errors: `The build cache ${cache} must be a directory of this user, with mode 700: remove it, or set XDG_CACHE_HOME to another directory\n`,
    });
  });

  it('prints help for --help', async () => {
    const { exitCode, stdout } = await run(['--help']).ended;

    expect(exitCode).toBe(0);
    expect(stdout).toContain('--ephemeral');
  });
});

describe('npm start', () => {
  const project = join(directory, 'npm-project');

  beforeAll(() => {
    const { scripts } = JSON.parse(readFileSync(join(projectDirectory, 'package.json'), 'utf8'));
    mkdirSync(join(project, 'local'), { recursive: true });
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ type: 'module', scripts: { start: scripts.start } }),
    );
    writeFileSync(join(project, 'local', 'main.mjs'), `import ${JSON.stringify(program)};`);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('stops all processes of the gateway on %s', async (signal) => {
    const dataDirectory = join(directory, signal);
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
    const npm = spawn('npm', ['start', '--', assemblyDirectory, dataDirectory], {
      cwd: project,
      env: { HOME: process.env.HOME, PATH, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(npm);
    let printed = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain('Ctrl-C stops it.');
    const { pid } = JSON.parse(readFileSync(join(dataDirectory, 'local.json'), 'utf8'));
    const processes = [pid, ...(await childrenOf(pid))];
    onTestFinished(async () => {
      for (const id of await findRunning(processes)) process.kill(id, 'SIGKILL');
    });
    npm.kill(signal);

    // The gateway, the embedded DynamoDB and the function of the function URL.
    expect(processes).toHaveLength(3);
    await expect.poll(() => findRunning(processes)).toEqual([]);
  });
});
