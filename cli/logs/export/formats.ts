/** The formats of exported log entries. */

import type { Organization } from '#lambdas/access/directory.ts';
import type { KnownPrices } from '#lambdas/costs/price-request.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';
import { type LogEntry, logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { logEntryJson } from '#lambdas/request-log/entry-json.ts';
import { escapeControls } from '#lib/terminal-output.mjs';
import { createFocusFormat } from './focus.ts';

export interface ExportFormat {
  /** Includes its line break; empty when the format has no header line. */
  header: string;
  /** Each line includes its line break. Empty for an entry that the format leaves out. */
  lines(entry: LogEntry): string;
}

interface ExportContext {
  /** The organizations of all exported entries. */
  organizations: readonly Organization[];
  readPrices(): Promise<KnownPrices>;
}

interface ExportFormatDefinition {
  /** The end of default file names, different for each format. */
  fileSuffix: string;
  create(context: ExportContext): ExportFormat | Promise<ExportFormat>;
}

const columnNames = [...new Set<keyof LogEntry>(['organization_id', ...logEntryFieldNames])];

export const exportFormats = {
  ndjson: {
    fileSuffix: '.ndjson',
    create: () => ({
      header: '',
      // The file may be shown in a terminal.
      lines: (entry) =>
        `${escapeControls(JSON.stringify({ organization_id: entry.organization_id, ...logEntryJson(entry) }))}\n`,
    }),
  },
  csv: {
    fileSuffix: '.csv',
    create: () => ({
      header: csvLine(columnNames),
      lines: (entry) => csvLine(columnNames.map((name) => csvValue(entry[name]))),
    }),
  },
  focus: {
    fileSuffix: '-focus.csv',
    create: async ({ organizations, readPrices }) => createFocusFormat(organizations, await readPrices()),
  },
} as const satisfies Record<string, ExportFormatDefinition>;

export type ExportFormatName = keyof typeof exportFormats;

/** Lists and objects become JSON text. */
function csvValue(value: LogEntry[keyof LogEntry]): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
