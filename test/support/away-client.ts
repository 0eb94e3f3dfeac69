/** A DynamoDB client whose table is away: at its address nothing listens. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awayEndpoint } from './away-endpoint.ts';

export async function awayClient(): Promise<DynamoDBClient> {
  return new DynamoDBClient({
    endpoint: await awayEndpoint(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
}
