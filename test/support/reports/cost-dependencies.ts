import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createReportDependencies } from '#lambdas/reports/dependencies.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';

interface ReportTables {
  client: DynamoDBDocumentClient;
  /** The names of the tables. */
  logEntries: string;
  costRollups: string;
}

/** The dependencies of the costs endpoint, as its entry point creates them. */
export function costDependencies(
  { client, ...names }: ReportTables,
  { logShardsOf, now }: Pick<CostDependencies, 'logShardsOf' | 'now'>,
): CostDependencies {
  const logEntries = { client, tableName: names.logEntries, now };
  const costRollups = { client, tableName: names.costRollups };
  return {
    ...createReportDependencies({ logEntries, costRollups, now }),
    logShardsOf,
    readEntries: (range) => readLogEntryPages(logEntries, range),
  };
}
