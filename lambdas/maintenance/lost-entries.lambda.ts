/** Entry point of the function that writes the log entries of the lost-entries queue. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { correctEntry } from '#lambdas/costs/reprice/correct-entry.ts';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createRestoredEntryWriter } from '#lambdas/costs/restored-entries.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createLostEntriesHandler } from './lost-entries.ts';

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
const costRollups = { client, tableName: environment.COST_ROLLUPS_TABLE };
const customPrices = {
  calls: createSdkTableCalls(client),
  tableName: environment.PRICES_TABLE,
  now,
  timeoutMs: 2_000,
};
const findPrice = createPriceFinder({ customPrices, settings: JSON.parse(environment.PROVIDERS) });

export const handler = withLogContext(
  createLostEntriesHandler({
    writer: createRestoredEntryWriter({ logEntries, costRollups }, Number(environment.ENTRY_RETENTION_DAYS)),
    correct: (entry) => correctEntry({ findPrice, logEntries, costRollups, now }, entry),
  }),
);
