/** Entry point of the function that verifies the rollups, on a schedule. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createOrganizationReader } from '#lambdas/access/organizations/read.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { log } from '#lambdas/platform/telemetry/log.ts';
import { createScheduledHandler } from '../scheduled-run.ts';
import { verifyRollups } from './verify-rollups.ts';

const environment = readEnvironment('DIRECTORY_TABLE', 'LOG_ENTRIES_TABLE', 'COST_ROLLUPS_TABLE');
const now = () => new Date();
const client = createDocumentClient(new DynamoDBClient());

const dependencies = {
  directory: createOrganizationReader({ client, tableName: environment.DIRECTORY_TABLE }),
  logEntries: { client, tableName: environment.LOG_ENTRIES_TABLE, now },
  costRollups: { client, tableName: environment.COST_ROLLUPS_TABLE },
  now,
  log,
};

export const handler = createScheduledHandler({
  run(run) {
    const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal: run.signal });
    return verifyRollups({ ...dependencies, wait: pause }, run);
  },
  onFailure: logUnexpected,
  now,
});
