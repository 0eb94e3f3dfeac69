/** The formats of exported entries: lines of JSON, or comma-separated values by RFC 4180. */
import { type LogEntry, logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { logEntryJson } from '#lambdas/request-log/entry-json.ts';

export interface ExportFormat {
  /** The beginning of a file. */
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
    line: (entry) => csvLine(columnNames.map((name) => entry[name])),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;

export type CsvValue = string | number | boolean | null;

/** Ends with CR LF. `null` is empty; empty text is a pair of quotes. */
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
 * A spreadsheet runs text that begins like a formula, and callers choose some of the text here. A leading apostrophe
 * makes it plain text, so text that begins with an apostrophe gets another one, or the value could not be restored.
 * A tab, a line end, and a semicolon where that separates values, begin another cell.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
function escapeFormulas(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=['=+\-@＝＋－＠\t\r\n])/g, "'");
}
