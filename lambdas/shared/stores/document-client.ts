/** The DynamoDB client of the functions, and how it reads numbers. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export function createDocumentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: readNumber },
  });
}

/** A DynamoDB number: whole ones as numbers, decimals as text, since `number` would round them. */
export function readNumber(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
