import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unreachableEndpoint } from '../http/unreachable-endpoint.ts';

export async function unreachableClient(): Promise<DynamoDBClient> {
  return new DynamoDBClient({
    endpoint: await unreachableEndpoint(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
}
