/** Log entries in the dashboard's form: money is text, as in `LogEntry`, and the organization is the caller's. */
import type { ExplainedLogEntry } from '#lambdas/reports/logs/entry.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { ListedLogEntry, LogEntryDetails } from '../responses.ts';

export function toListedEntry({ organization_id: _, billed_parts: __, ...entry }: LogEntry): ListedLogEntry {
  return entry;
}

export function toEntryDetails({
  entry: { organization_id: _, ...entry },
  costBreakdown,
}: ExplainedLogEntry): LogEntryDetails {
  return { ...entry, cost_breakdown: costBreakdown };
}
