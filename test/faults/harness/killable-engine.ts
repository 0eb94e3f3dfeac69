/**
 * The embedded DynamoDB, which can be killed and started again, each time at another port. Its data are on a file, and
 * outlive it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEngine } from '#local/aws/engine.ts';

export interface KillableEngine {
  /** Where it listens, or listened last. */
  endpoint(): string;
  /** With SIGKILL. */
  kill(): Promise<void>;
  /** Does nothing while it runs. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startKillableEngine(directory: string): Promise<KillableEngine> {
  const start = async () => {
    const engine = await startEngine({
      databasePath: join(directory, 'dynamodb.sqlite'),
      environment: {},
      onUnexpectedExit: () => {},
    });
    return { ...engine, processId: await findProcess(engine.endpoint), isRunning: true };
  };
  let engine = await start();
  return {
    endpoint: () => engine.endpoint,
    async kill() {
      engine.isRunning = false;
      // Its group: the shell that guards the program must not outlive it.
      process.kill(-engine.processId, 'SIGKILL');
    },
    async start() {
      if (!engine.isRunning) engine = await start();
    },
    stop: () => engine.stop(),
  };
}

/** The process that this one has started for the endpoint's port. */
async function findProcess(endpoint: string): Promise<number> {
  const { port } = new URL(endpoint);
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [status, command] = await Promise.all([read(id, 'status'), read(id, 'cmdline')]);
    if (status.includes(`\nPPid:\t${process.pid}\n`) && command.includes(`\0--port\0${port}\0`))
      return Number(id);
  }
  throw new Error(`No engine of this process listens on ${port}`);
}

/** Empty when the process has ended meanwhile. */
function read(id: string, file: string): Promise<string> {
  return readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
}
