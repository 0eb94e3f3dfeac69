/** Loaded on first use: only a sign-up that the settings do not decide needs the table. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { isInvited } from '../invitations/invited-addresses.ts';
import type { IsInvited } from './rules.ts';

/** Cognito waits 5 seconds for the function, cold start included. */
const clientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;

export function openInvitationLookup(tableName: string, now: () => Date): IsInvited {
  const client = createDocumentClient(new DynamoDBClient(clientConfig));
  return (email) => isInvited({ client, tableName }, email, now());
}
