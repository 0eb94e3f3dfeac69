import { saveFile } from '#dashboard/api/download.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { usageCsv, usageFileName } from './usage-csv.ts';

export function saveUsage(report: CostReport, keyNames: ReadonlyMap<string, string>): void {
  const content = new Blob([usageCsv(report, keyNames)], { type: 'text/csv;charset=utf-8' });
  saveFile(content, usageFileName(report));
}
