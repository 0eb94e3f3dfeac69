/** Entry point of the budget function, which applies changes of budgets from the stream of their table. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { createOrganizationReader } from '#lambdas/access/organizations/read.ts';
import { scopeOfRecord } from '#lambdas/limits/budgets/pending-changes.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createCompletenessDependencies } from '../completeness.ts';
import { applyBudget } from './apply-budget.ts';
import type { BudgetDependencies } from './dependencies.ts';
import { createBudgetHandler } from './handler.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'LOG_ENTRIES_TABLE',
  'COST_ROLLUPS_TABLE',
  'BUDGET_COUNTERS_TABLE',
);
const client = createDocumentClient(new DynamoDBClient());
const directoryTable = { client, tableName: environment.DIRECTORY_TABLE };
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE };
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };

const dependencies: BudgetDependencies = {
  directoryTable,
  budgetCounters: { client, tableName: environment.BUDGET_COUNTERS_TABLE },
  costRollups,
  logShardsOf: createOrganizationReader(directoryTable).logShardsOf,
  ...createCompletenessDependencies({ logEntries, costRollups, now: () => new Date() }),
  newCounterId: () => randomBytes(6).toString('base64url'),
  wait: (milliseconds) => setTimeout(milliseconds),
};
const applyChanges = createBudgetHandler({
  ...dependencies,
  apply: (scope, wait) => applyBudget({ ...dependencies, wait }, scope),
});

/** Enough for the calls in progress, of an organization with thousands of keys, once no change waits any longer. */
const lastCallsMs = 2 * minuteMs;

export const handler = withLogContext((event: DynamoDBStreamEvent, context: Context) =>
  applyChanges({
    scopes: event.Records.map(scopeOfRecord),
    stopAtMs: Date.now() + context.getRemainingTimeInMillis() - lastCallsMs,
  }),
);
