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

/** Starts a separate in-memory engine. The caller must stop it. */
export async function startEmbeddedDynamoDB(): Promise<EmbeddedDynamoDB> {
  const { endpoint, stop } = await startEngine({
    databasePath: undefined,
    environment: {},
    onUnexpectedExit: () => {},
  });
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: testIdentity });
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
