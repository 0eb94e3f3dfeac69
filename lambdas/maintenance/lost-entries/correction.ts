/** Prices entries that were written without their price. Loaded only when there is such an entry. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { correctEntry } from '#lambdas/costs/reprice/correct-entry.ts';
import { createPriceFinder, type PriceSources } from '#lambdas/costs/reprice/find-price.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface CorrectionSettings extends PriceSources {
  /** The names of the tables. */
  logEntriesTable: string;
  costRollupsTable: string;
  now(): Date;
}

export function createCorrection(settings: CorrectionSettings): (entry: LogEntry) => Promise<void> {
  const client = createDocumentClient(new DynamoDBClient());
  const { now } = settings;
  const dependencies = {
    findPrice: createPriceFinder(settings),
    logEntries: { client, tableName: settings.logEntriesTable, now },
    costRollups: { client, tableName: settings.costRollupsTable },
    now,
  };
  return (entry) => correctEntry(dependencies, entry);
}
