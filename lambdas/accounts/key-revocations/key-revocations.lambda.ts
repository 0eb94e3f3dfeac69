/**
 * Entry point of the function that revokes the keys of removed members. The stream of the Directory table starts it. It looks for
 * pending revocations itself: whatever an invocation has left, the next one continues.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createKeyRevocations } from './revoke-pending.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'DIRECTORY_TABLE',
  'AUDIT_TRAIL_TABLE',
  'AUDIT_RETENTION_DAYS',
);
const client = createDocumentClient(new DynamoDBClient());

const revokePending = createKeyRevocations({
  accounts: { client, tableName: environment.ACCOUNTS_TABLE },
  directoryTable: { client, tableName: environment.DIRECTORY_TABLE },
  auditTable: {
    client,
    tableName: environment.AUDIT_TRAIL_TABLE,
    retentionDays: Number(environment.AUDIT_RETENTION_DAYS),
  },
  now: () => new Date(),
  log,
});

/** Enough for the calls in progress. */
const lastCallsMs = minuteMs;

export const handler = withLogContext((_: DynamoDBStreamEvent, context: Context) =>
  revokePending(AbortSignal.timeout(context.getRemainingTimeInMillis() - lastCallsMs)),
);
