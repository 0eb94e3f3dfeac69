import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type CompletenessDependencies,
  createCompletenessDependencies,
} from '#lambdas/costs/completeness.ts';
import { findRollupState, type RollupState } from '#lambdas/costs/rollups/state.ts';
import { type CostRollupReader, createCostRollupReader } from './rollup-reader.ts';

export interface ReportTables {
  client: DynamoDBDocumentClient;
  /** The names of the tables. */
  logEntries: string;
  costRollups: string;
}

/** The sources that costs and lists of logs both read. */
export interface ReportDependencies extends CompletenessDependencies {
  findRollupState(organizationId: string): Promise<RollupState>;
  rollups: CostRollupReader;
}

export function createReportDependencies(
  { client, ...tables }: ReportTables,
  now: () => Date,
): ReportDependencies {
  const logEntries = { client, tableName: tables.logEntries };
  const costRollups = { client, tableName: tables.costRollups };
  return {
    findRollupState: (organizationId) => findRollupState(costRollups, organizationId),
    rollups: createCostRollupReader(costRollups),
    ...createCompletenessDependencies({ logEntries, costRollups, now }),
  };
}
