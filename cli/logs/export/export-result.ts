/** What `logs export` calls its file, and what it says of what it wrote. */

import { textTable } from '#cli/text-table.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { ExportProgress } from './export-entries.ts';
import type { ExportFormatName } from './export-formats.ts';

export interface ExportResult extends ExportProgress {
  /** `null` for standard output. */
  file: string | null;
  format: ExportFormatName;
  window: TimeWindow;
}

/** With no character that a file system refuses. */
export function defaultFileName(request: {
  organization?: string;
  from: number;
  to: number;
  format: ExportFormatName;
}): string {
  const { organization = 'all', from, to, format } = request;
  return `logs-${organization}-${timeInName(from)}-${timeInName(to)}.${format}`;
}

function timeInName(timestampMs: number): string {
  return new Date(timestampMs).toISOString().replace(/[-:]/g, '').replace('.000', '');
}

/** With the names that GET /api/costs has. */
export function exportJson({ file, format, window, entries, totals }: ExportResult) {
  return {
    file,
    format,
    from: new Date(window.startMs).toISOString(),
    to: new Date(window.endMs).toISOString(),
    entries,
    total_requests: totals.requests,
    total_cost_usd: usdJson(totals.cost_usd),
    total_input_tokens: totals.input_tokens,
    total_output_tokens: totals.output_tokens,
    unpriced_requests: totals.unpriced_requests,
  };
}

export function exportText({ file, entries, totals }: ExportResult): string {
  return textTable(
    ['FILE', 'ENTRIES', 'REQUESTS', 'COST IN USD'],
    [[file ?? '-', String(entries), String(totals.requests), totals.cost_usd]],
  );
}
