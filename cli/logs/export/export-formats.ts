/** How an entry is written: one line of JSON, or of comma-separated values. */
import { type LogEntry, logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { logEntryJson } from '#lambdas/request-log/entry-json.ts';
import { csvLine } from './csv.ts';

export interface ExportFormat {
  /** What a file begins with. */
  head: string;
  line(entry: LogEntry): string;
}

/** All fields of an entry. */
const columnNames = [...new Set<keyof LogEntry>(['organization_id', ...logEntryFieldNames])];

export const exportFormats = {
  ndjson: {
    head: '',
    line: (entry) =>
      `${JSON.stringify({ organization_id: entry.organization_id, ...logEntryJson(entry) })}\n`,
  },
  csv: {
    head: csvLine(columnNames),
    line: (entry) => csvLine(columnNames.map((name) => entry[name])),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
