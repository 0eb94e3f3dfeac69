/** The embedded DynamoDB for tests: a process of its own for each caller, in memory. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface EmbeddedDynamoDB {
  /** Such as `http://127.0.0.1:41234`. */
  endpoint: string;
  client: DynamoDBClient;
  documentClient: DynamoDBDocumentClient;
  stop(): Promise<void>;
}

interface Engine {
  process: ChildProcess;
  endpoint: string;
}

const binary = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url));
const testIdentity = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Resolves when the engine answers. Every caller stops its own, in `afterAll` say. */
export async function startEmbeddedDynamoDB(): Promise<EmbeddedDynamoDB> {
  const engine = await startEngine();
  const { endpoint } = engine;
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: testIdentity });
  const killWithParent = () => engine.process.kill('SIGKILL');
  process.once('exit', killWithParent);
  return {
    endpoint,
    client,
    documentClient: DynamoDBDocumentClient.from(client),
    async stop() {
      process.off('exit', killWithParent);
      client.destroy();
      if (engine.process.exitCode !== null) return;
      const exited = once(engine.process, 'exit');
      engine.process.kill('SIGTERM');
      await exited;
    },
  };
}

/** Between finding a free port and binding it another test may take it: then another port is tried. */
async function startEngine(): Promise<Engine> {
  const failures: string[] = [];
  while (failures.length < 5) {
    const port = await findFreePort();
    const child = spawn(binary, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const failure = await untilListening(child);
    if (failure === null) return { process: child, endpoint: `http://127.0.0.1:${port}` };
    failures.push(failure);
  }
  throw new Error(`The embedded DynamoDB did not start: ${failures.join('; ')}`);
}

/** The engine says on its standard output that it listens, once it does. Resolves to what went wrong, or `null`. */
function untilListening(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('listening on')) resolve(null);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(output.trim()));
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
