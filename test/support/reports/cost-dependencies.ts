import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findCountedUntil } from '#lambdas/costs/rollups/progress.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import { findNewestLogEntry } from '#lambdas/request-log/table/newest-entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';

export interface CostTables {
  client: DynamoDBDocumentClient;
  logEntries: string;
  costRollups: string;
}

/** The dependencies of the costs endpoint, as its entry point creates them. */
export function costDependencies(
  { client, ...tables }: CostTables,
  { logShardsOf, now }: Pick<CostDependencies, 'logShardsOf' | 'now'>,
): CostDependencies {
  const logEntries = { client, tableName: tables.logEntries, now };
  const rollups = { client, tableName: tables.costRollups };
  return {
    logShardsOf,
    findRollupState: (organizationId) => findRollupState(rollups, organizationId),
    rollups: createCostRollupReader(rollups),
    readEntries: (range) => readLogEntryPages(logEntries, range),
    findNewestEntry: (shard, beforeMs) => findNewestLogEntry(logEntries, shard, beforeMs),
    findCountedUntil: (generation, stored) => findCountedUntil(rollups, generation, stored),
    now,
  };
}
