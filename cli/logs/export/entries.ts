/** Writes the log entries of a time window in chronological order, and sums their costs like the rollups. */

import { z } from 'zod';
import { rollupOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, sumTotals } from '#lambdas/costs/rollups/totals.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { entriesInOrder, type LogShard } from '#lambdas/request-log/table/scan.ts';
import type { ExportFormat } from './formats.ts';
import type { ExportSink } from './partial-file.ts';

const count = z.number().int().nonnegative();
const amount = z.string().regex(/^\d+(\.\d+)?$/);

const exportTotals = z.object({
  requests: count,
  cost_usd: amount,
  input_tokens: count,
  output_tokens: count,
  unpriced_requests: count,
  assumed_requests: count,
  assumed_cost_usd: amount,
  estimated_requests: count,
  estimated_cost_usd: amount,
});

export const exportProgress = z.object({
  /** The id of the last entry that was written. */
  after: z.string().refine(isUuid),
  entries: count,
  /** The totals of the entries that count towards costs. */
  totals: exportTotals,
});

export type ExportProgress = z.output<typeof exportProgress>;

interface EntryExport {
  logEntries: LogEntriesTable;
  shards: readonly LogShard[];
  window: TimeWindow;
  format: ExportFormat;
  sink: ExportSink<ExportProgress>;
  job: Pick<LongJob, 'signal' | 'report'>;
  /** Called after each batch that was written. */
  onProgress(progress: ExportProgress): void;
}

/** Resolves to the final progress, which includes entries written by earlier runs. */
export async function exportEntries(request: EntryExport): Promise<ExportProgress> {
  const { logEntries, shards, window, format, sink, job, onProgress } = request;
  let progress = sink.resumed ?? { after: '', entries: 0, totals: exportTotals.parse(noTotals) };
  if (sink.resumed === null) await sink.write(format.header);
  for await (const stored of entriesInOrder(logEntries, { shards, window, after: progress.after })) {
    job.signal.throwIfAborted();
    const batch = stored.map(({ entry }) => entry);
    await sink.write(batch.map(format.lines).join(''));
    progress = addBatch(progress, batch);
    await sink.checkpoint(progress);
    onProgress(progress);
    const at = new Date(timestampOfLogId(progress.after)).toISOString();
    job.report(`${progress.entries} entries, at ${at}`);
  }
  return progress;
}

function addBatch({ entries, totals }: ExportProgress, batch: readonly LogEntry[]): ExportProgress {
  const counted = batch.flatMap((entry) => rollupOf(entry, totalsDimension)?.totals ?? []);
  return {
    after: batch.at(-1)?.id ?? '',
    entries: entries + batch.length,
    totals: exportTotals.parse(sumTotals([{ ...noTotals, ...totals }, ...counted])),
  };
}
