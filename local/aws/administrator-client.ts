import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { administratorAccessKeyId, localSecretAccessKey } from '../identities.ts';

export function createAdministratorClient({
  endpoint,
  region,
}: {
  endpoint: string;
  region: string;
}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  });
}
