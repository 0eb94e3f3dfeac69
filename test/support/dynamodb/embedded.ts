import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { type Engine, startEngine } from '#local/aws/dynamodb/engine.ts';
import { createHttpHandler } from './http-handler.ts';

export interface EmbeddedDynamoDB {
  /** Such as `http://127.0.0.1:41234`. */
  endpoint: string;
  client: DynamoDBClient;
  documentClient: DynamoDBDocumentClient;
  stop(): Promise<void>;
}

export const testIdentity = { accessKeyId: 'test', secretAccessKey: 'test' };

const authorization =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

/** The engine checks no signatures, whose computation would take a tenth of each call. */
async function sign<Request extends { headers: Record<string, string> }>(request: Request): Promise<Request> {
  Object.assign(request.headers, { authorization, 'x-amz-date': '20260101T000000Z' });
  return request;
}

/** Middleware for logs and for headers that the engine ignores. It takes a sixth of the time of a call. */
const unusedMiddleware = [
  'loggerMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
];

let shared: Promise<Engine> | undefined;

/** Starts an in-memory engine for all tests of this process, with which it ends. Tables have unique names. */
export async function startEmbeddedDynamoDB(): Promise<EmbeddedDynamoDB> {
  shared ??= startShared();
  const clients = createClients((await shared).endpoint);
  return { ...clients, stop: async () => clients.client.destroy() };
}

/** Starts an engine for one gateway, whose template gives the tables fixed names. The caller must stop it. */
export async function startSeparateDynamoDB(): Promise<EmbeddedDynamoDB> {
  const engine = await startInMemory();
  const clients = createClients(engine.endpoint);
  return {
    ...clients,
    async stop() {
      clients.client.destroy();
      await engine.stop();
    },
  };
}

async function startShared(): Promise<Engine> {
  const engine = await startInMemory();
  // Vitest ends the processes of tests, but those of benchmarks must exit on their own.
  engine.unref();
  return engine;
}

function startInMemory(): Promise<Engine> {
  return startEngine({ databasePath: undefined, environment: {}, onUnexpectedExit: () => {} });
}

function createClients(endpoint: string): Omit<EmbeddedDynamoDB, 'stop'> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: testIdentity,
    signer: { sign },
    requestHandler: createHttpHandler(),
  });
  for (const name of unusedMiddleware) client.middlewareStack.remove(name);
  return { endpoint, client, documentClient: createDocumentClient(client) };
}
