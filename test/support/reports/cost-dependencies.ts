import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createReportDependencies, type ReportTables } from '#lambdas/reports/dependencies.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';

/** The dependencies of the costs endpoint, as its entry point creates them. */
export function costDependencies(
  tables: ReportTables,
  { logShardsOf, now }: Pick<CostDependencies, 'logShardsOf' | 'now'>,
): CostDependencies {
  const logEntries = { client: tables.client, tableName: tables.logEntries, now };
  return {
    ...createReportDependencies(tables, now),
    logShardsOf,
    readEntries: (range) => readLogEntryPages(logEntries, range),
  };
}
