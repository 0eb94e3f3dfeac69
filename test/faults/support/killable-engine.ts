/** Embedded DynamoDB that can be killed and restarted, each time on another port. Its data are in a file and survive. */
import { join } from 'node:path';
import { startEngine } from '#local/aws/dynamodb/engine.ts';

export interface KillableEngine {
  /** The current address, or the last one when the engine is not running. */
  endpoint(): string;
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
    return { ...engine, isRunning: true };
  };
  let engine = await start();
  return {
    endpoint: () => engine.endpoint,
    async kill() {
      engine.isRunning = false;
      // A negative id kills the process group: the shell that guards the program must not outlive it.
      if (engine.processId !== undefined) process.kill(-engine.processId, 'SIGKILL');
    },
    async start() {
      if (!engine.isRunning) engine = await start();
    },
    stop: () => engine.stop(),
  };
}
