/** Export formats: newline-delimited JSON, and comma-separated values as specified by RFC 4180. */

import { type LogEntry, logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { logEntryJson } from '#lambdas/request-log/entry-json.ts';

export interface ExportFormat {
  /** Includes its line break; empty when the format has no header line. */
  header: string;
  line(entry: LogEntry): string;
}

const columnNames = [...new Set<keyof LogEntry>(['organization_id', ...logEntryFieldNames])];

export const exportFormats = {
  ndjson: {
    header: '',
    line: (entry) =>
      `${JSON.stringify({ organization_id: entry.organization_id, ...logEntryJson(entry) })}\n`,
  },
  csv: {
    header: csvLine(columnNames),
    line: (entry) => csvLine(columnNames.map((name) => csvValue(entry[name]))),
  },
} as const satisfies Record<string, ExportFormat>;

/** Lists become JSON text. */
function csvValue(value: LogEntry[keyof LogEntry]): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

export type ExportFormatName = keyof typeof exportFormats;

export type CsvValue = string | number | boolean | null;

/** Renders one record with its CR LF. `null` becomes an empty field, an empty string a pair of quotes. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = escapeFormulas(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Prefixes text that a spreadsheet would run as a formula with an apostrophe, since callers choose some of the text.
 * Text that begins with an apostrophe gets a second one, so that the original value can be restored. The same applies
 * after a tab, a line break or a semicolon, which can begin a new cell.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
function escapeFormulas(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=['=+\-@＝＋－＠\t\r\n])/g, "'");
}
