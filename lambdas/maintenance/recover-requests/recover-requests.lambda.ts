/** Entry point of the function that restores the log entries of killed requests, on a schedule. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createRestoredEntryWriter } from '#lambdas/costs/restored-entries.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { readQueueSize } from '#lambdas/platform/aws/sqs.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { log } from '#lambdas/platform/telemetry/log.ts';
import { createScheduledHandler } from '../scheduled-run.ts';
import { createLogReader, logCallTimeoutMs } from './log-lines.ts';
import { recoverRequests } from './recover-requests.ts';

const environment = readEnvironment(
  'CHAT_LOG_GROUP',
  'LOG_RETENTION_DAYS',
  'LOST_ENTRIES_QUEUE_URL',
  'LOST_ENTRIES_DEAD_LETTER_QUEUE_URL',
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
  'COST_ROLLUPS_TABLE',
  'PRICES_TABLE',
  'PROVIDERS',
);
const now = () => new Date();
const access = readAwsAccess();
const client = createDocumentClient(new DynamoDBClient());
const logs = createJsonService({
  service: 'logs',
  access,
  now,
  attemptTimeoutMs: logCallTimeoutMs,
});

const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };
const retentionDays = Number(environment.ENTRY_RETENTION_DAYS);
const target = {
  logEntries,
  writer: createRestoredEntryWriter({ logEntries, costRollups }, retentionDays),
  findPrice: createPriceFinder({
    customPrices: { calls: createSdkTableCalls(client), tableName: environment.PRICES_TABLE, now },
    settings: JSON.parse(environment.PROVIDERS),
  }),
  retentionDays,
  isDryRun: false,
};

const sqs = createJsonService({ service: 'sqs', access, now });

export const handler = createScheduledHandler({
  run(run) {
    const logGroup = {
      logs,
      logGroupName: environment.CHAT_LOG_GROUP,
      now,
      log,
      wait: (milliseconds: number) => wait(milliseconds, undefined, { signal: run.signal }),
    };
    return recoverRequests(
      {
        target,
        costRollups,
        readLogLines: createLogReader(logGroup),
        countQueuedEntries: () => readQueueSize(sqs, environment.LOST_ENTRIES_QUEUE_URL),
        countDeadLetters: () => readQueueSize(sqs, environment.LOST_ENTRIES_DEAD_LETTER_QUEUE_URL),
        logRetentionDays: Number(environment.LOG_RETENTION_DAYS),
        log,
      },
      run,
    );
  },
  onFailure: logUnexpected,
  now,
});
