import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { createOrganizationReader } from '#lambdas/access/organizations/read.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { withLogContext } from '#lambdas/platform/log.ts';
import { createCompletenessDependencies } from '../rollups/completeness.ts';
import { createBudgetHandler } from './handler.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'LOG_ENTRIES_TABLE',
  'COST_ROLLUPS_TABLE',
  'BUDGETS_TABLE',
);
const client = createDocumentClient(new DynamoDBClient());
const directory = { client, tableName: environment.DIRECTORY_TABLE };
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };

const applyChanges = createBudgetHandler({
  directory,
  budgets: { client, tableName: environment.BUDGETS_TABLE },
  costRollups,
  logShardsOf: createOrganizationReader(directory).logShardsOf,
  ...createCompletenessDependencies({ logEntries, costRollups, now: () => new Date() }),
  newCounterId: () => randomBytes(6).toString('base64url'),
  wait: (milliseconds) => wait(milliseconds),
});

/** Enough for a change that has started: half a minute, and more while the rollups are delayed. */
const lastChangeMs = 5 * 60_000;

export const handler = withLogContext((_event: DynamoDBStreamEvent, context: Context) =>
  applyChanges(Date.now() + context.getRemainingTimeInMillis() - lastChangeMs),
);
