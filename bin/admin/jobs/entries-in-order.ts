/** The log entries of all shards of an organization in the order of their ids, which is that of time. */
import type { StoredLogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import type { TimeWindow } from '../../../lambdas/shared/domain/time-window.ts';
import { readLogEntryPages } from '../../../lambdas/shared/stores/log-entry-pages.ts';
import type { LogEntriesTable } from '../../../lambdas/shared/stores/log-entry-writer.ts';

export interface EntriesRange {
  organizationId: string;
  shards: Iterable<number>;
  window: TimeWindow;
  /** Only entries newer than this id. */
  after?: string | undefined;
}

/** A shard that is being read, with what of its page has not been given yet. */
interface ShardRun {
  pages: AsyncIterator<StoredLogEntry[]>;
  /** Empty only when the run has ended. */
  entries: StoredLogEntry[];
  hasEnded: boolean;
}

/**
 * Batches, none of them empty. Every shard has a page in memory; what is up to the lowest of the last ids of those is
 * complete and can be given, whatever the shards have behind it.
 */
export async function* entriesInOrder(
  table: LogEntriesTable,
  { shards, ...range }: EntriesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const runs = Array.from(shards, (shard): ShardRun => {
    const pages = readLogEntryPages(table, { ...range, shard });
    return { pages: pages[Symbol.asyncIterator](), entries: [], hasEnded: false };
  });
  for (;;) {
    await Promise.all(runs.map(readOn));
    const batch = takeComplete(runs);
    if (batch.length === 0) return;
    yield batch;
  }
}

async function readOn(run: ShardRun): Promise<void> {
  while (run.entries.length === 0 && !run.hasEnded) {
    const { done = false, value } = await run.pages.next();
    run.hasEnded = done;
    run.entries = value ?? [];
  }
}

function takeComplete(runs: ShardRun[]): StoredLogEntry[] {
  const lastIds = runs.flatMap(({ entries }) => entries.at(-1)?.entry.id ?? []);
  const completeTo = lastIds.reduce((lowest, id) => (id < lowest ? id : lowest), lastIds[0] ?? '');
  const batch = runs.flatMap((run) => {
    const cut = run.entries.findIndex(({ entry }) => entry.id > completeTo);
    return run.entries.splice(0, cut === -1 ? run.entries.length : cut);
  });
  return batch.sort((left, right) => (left.entry.id < right.entry.id ? -1 : 1));
}
