/**
 * Merges runs of log entries, each in order of their ids, into one in that order, which is that of time.
 *
 * Of each run one page is in memory, and the next one on its way. Whatever the runs have behind their pages, what is up
 * to the lowest of the last ids of the pages is complete: that is given at once, in batches of about a page.
 */
import type { StoredLogEntry } from './entry.ts';

type Page = readonly StoredLogEntry[];

interface Run {
  pages: AsyncIterator<Page>;
  next: Promise<IteratorResult<Page>>;
  /** What was read and not given yet; empty only when the run has ended. */
  waiting: Page;
}

/** Batches, none of them empty. */
export async function* mergeOldestFirst(runs: AsyncIterable<Page>[]): AsyncGenerator<StoredLogEntry[]> {
  const open = runs.map(startRun);
  try {
    for (;;) {
      await Promise.all(open.map(fill));
      const batch = takeComplete(open.filter(({ waiting }) => waiting.length > 0));
      if (batch.length === 0) return;
      yield batch;
    }
  } finally {
    await Promise.all(open.map(({ pages }) => pages.return?.()));
  }
}

function startRun(run: AsyncIterable<Page>): Run {
  const pages = run[Symbol.asyncIterator]();
  return { pages, next: readAhead(pages), waiting: [] };
}

/** A failure is met when its page's turn has come. */
function readAhead(pages: AsyncIterator<Page>): Promise<IteratorResult<Page>> {
  const next = pages.next();
  next.catch(() => {});
  return next;
}

async function fill(run: Run): Promise<void> {
  while (run.waiting.length === 0) {
    const { done, value } = await run.next;
    if (done) return;
    run.waiting = value;
    run.next = readAhead(run.pages);
  }
}

function takeComplete(runs: Run[]): StoredLogEntry[] {
  const ends = runs.map(({ waiting }) => waiting.at(-1)?.entry.id ?? '').sort();
  const completeTo = ends[0] ?? '';
  const batch: StoredLogEntry[] = [];
  for (const run of runs) {
    const firstLater = run.waiting.findIndex(({ entry }) => entry.id > completeTo);
    const count = firstLater === -1 ? run.waiting.length : firstLater;
    batch.push(...run.waiting.slice(0, count));
    run.waiting = run.waiting.slice(count);
  }
  return batch.sort((left, right) => (left.entry.id < right.entry.id ? -1 : 1));
}
