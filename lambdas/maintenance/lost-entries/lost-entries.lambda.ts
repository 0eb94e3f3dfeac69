import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { withLogContext } from '#lambdas/platform/log.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { createLostEntriesHandler } from './handler.ts';

const environment = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
  'PRICES_TABLE',
  'COST_ROLLUPS_TABLE',
  'PROVIDERS',
);
const now = () => new Date();
const client = createDocumentClient(new DynamoDBClient());
const logEntries = { client, tableName: environment.LOG_ENTRIES_TABLE, now };
const customPrices = {
  calls: createSdkTableCalls(client),
  tableName: environment.PRICES_TABLE,
  now,
  timeoutMs: 2_000,
};

export const handler = withLogContext(
  createLostEntriesHandler({
    writer: createSdkLogEntryWriter(logEntries, Number(environment.ENTRY_RETENTION_DAYS)),
    findPrice: createPriceFinder({ customPrices, settings: JSON.parse(environment.PROVIDERS) }),
    logEntries,
    costRollups: { client, tableName: environment.COST_ROLLUPS_TABLE },
    now,
  }),
);
