/** Merges runs of log entries that are each newest first into one. */
import type { LogEntry } from './log-entry.ts';

export async function* mergeNewestFirst(runs: AsyncIterable<LogEntry>[]): AsyncGenerator<LogEntry> {
  const iterators = runs.map((run) => run[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      const newest = indexOfNewest(heads);
      const head = heads[newest];
      const iterator = iterators[newest];
      if (head === undefined || head.done || iterator === undefined) return;
      yield head.value;
      heads[newest] = await iterator.next();
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

/** -1 when all runs have ended. */
function indexOfNewest(heads: IteratorResult<LogEntry>[]): number {
  let newest = -1;
  let newestId = '';
  for (const [index, head] of heads.entries()) {
    if (!head.done && head.value.id > newestId) {
      newest = index;
      newestId = head.value.id;
    }
  }
  return newest;
}
