/** Writes the log entries of a window in order of time, and sums them up as the costs do. */
import type { LogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import { timestampOfLogId } from '../../../lambdas/shared/domain/log-id.ts';
import { rollupOf } from '../../../lambdas/shared/domain/rollup.ts';
import type { TimeWindow } from '../../../lambdas/shared/domain/time-window.ts';
import { addTotals, noTotals, type Totals } from '../../../lambdas/shared/domain/totals.ts';
import { readLogEntryPages } from '../../../lambdas/shared/stores/log-entry-pages.ts';
import type { LogEntriesTable } from '../../../lambdas/shared/stores/log-entry-writer.ts';
import type { LongJob } from '../long-job.ts';
import type { ExportFormat } from './export-formats.ts';
import type { ExportSink } from './export-sink.ts';
import { mergeOldestFirst } from './merge-oldest-first.ts';

export interface ExportProgress {
  /** The last id that was written. */
  after: string;
  entries: number;
  /** Of the entries that count. */
  totals: Totals;
}

export interface ExportWork {
  logEntries: LogEntriesTable;
  /** All shards of all organizations. */
  shards: readonly { organizationId: string; shard: number }[];
  window: TimeWindow;
  format: ExportFormat;
  sink: ExportSink<ExportProgress>;
  job: Pick<LongJob, 'signal' | 'report'>;
}

/** How many entries are in memory: two pages of each shard. */
const entriesAhead = 20_000;
const smallestPage = 10;
const largestPage = 1000;

/** Resolves to what there is in all, with what earlier runs wrote. */
export async function exportEntries(work: ExportWork): Promise<ExportProgress> {
  const { format, sink, job } = work;
  let progress = sink.resumed ?? { after: '', entries: 0, totals: noTotals };
  if (sink.resumed === null) await sink.write(format.head);
  for await (const batch of mergeOldestFirst(runsOf(work, progress.after))) {
    job.signal.throwIfAborted();
    await sink.write(batch.map(format.line).join(''));
    progress = addBatch(progress, batch);
    await sink.reach(progress);
    job.report(`${progress.entries} entries, at ${timeOf(progress.after)}`);
  }
  return progress;
}

function runsOf({ logEntries, shards, window }: ExportWork, after: string): AsyncIterable<LogEntry[]>[] {
  const fitting = Math.ceil(entriesAhead / (2 * shards.length));
  const pageSize = Math.min(Math.max(fitting, smallestPage), largestPage);
  return shards.map((shard) =>
    entriesOf(readLogEntryPages(logEntries, { ...shard, window, after, pageSize })),
  );
}

async function* entriesOf(pages: ReturnType<typeof readLogEntryPages>): AsyncGenerator<LogEntry[]> {
  for await (const page of pages) yield page.map(({ entry }) => entry);
}

function addBatch({ entries, totals }: ExportProgress, batch: readonly LogEntry[]): ExportProgress {
  const counted = batch.flatMap((entry) => rollupOf(entry, 'model')?.totals ?? []);
  return {
    after: batch.at(-1)?.id ?? '',
    entries: entries + batch.length,
    totals: counted.reduce(addTotals, totals),
  };
}

function timeOf(id: string): string {
  return new Date(timestampOfLogId(id)).toISOString();
}
