import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { startEngine } from '#local/aws/dynamodb/engine.ts';

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

/** Starts a separate in-memory engine. The caller must stop it. */
export async function startEmbeddedDynamoDB(): Promise<EmbeddedDynamoDB> {
  const { endpoint, stop } = await startEngine({
    databasePath: undefined,
    environment: {},
    onUnexpectedExit: () => {},
  });
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: testIdentity,
    signer: { sign },
  });
  return {
    endpoint,
    client,
    documentClient: createDocumentClient(client),
    async stop() {
      client.destroy();
      await stop();
    },
  };
}
