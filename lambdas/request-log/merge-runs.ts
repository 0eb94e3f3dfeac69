/** Merges runs of log entries that are each newest first into one. */
import type { LogStep } from './entry.ts';

type Run = AsyncIterator<LogStep>;
type Head = IteratorResult<LogStep>;

/**
 * A step without an entry says that all of the runs were read down to its id: every entry from there on was given.
 *
 * Only the newest head can be given next, so while runs bring entries they are read when their turn comes. Runs that
 * wait at such a step have nothing to give, and are read on all at once: filters that match little would otherwise be
 * read one shard after the other.
 */
export async function* mergeNewestFirst(runs: AsyncIterable<LogStep>[]): AsyncGenerator<LogStep> {
  const iterators = runs.map((run) => run[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      const index = indexOfNewest(heads);
      const newest = stepAt(heads, index);
      if (newest === undefined) return;
      if (newest.entry !== null) {
        yield newest;
        await readOn({ iterators, heads, indexes: [index] });
      } else {
        const waiting = [...heads.keys()].filter((at) => stepAt(heads, at)?.entry === null);
        const evaluated = waiting.reduce((sum, at) => sum + evaluatedBy(stepAt(heads, at)), 0);
        yield { id: newest.id, entry: null, evaluated };
        await readOn({ iterators, heads, indexes: waiting });
      }
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

async function readOn(state: { iterators: Run[]; heads: Head[]; indexes: number[] }): Promise<void> {
  const { iterators, heads, indexes } = state;
  const next = async (index: number) => {
    const head = await iterators[index]?.next();
    if (head !== undefined) heads[index] = head;
  };
  await Promise.all(indexes.map(next));
}

/** -1 when all runs have ended. Of one id, the entry comes before the word that the run was read down to it. */
function indexOfNewest(heads: Head[]): number {
  let index = -1;
  let newest: LogStep | undefined;
  for (const at of heads.keys()) {
    const step = stepAt(heads, at);
    if (step === undefined) continue;
    const isNewer = newest === undefined || step.id > newest.id;
    if (isNewer || (step.id === newest?.id && step.entry !== null)) {
      index = at;
      newest = step;
    }
  }
  return index;
}

/** `undefined` when the run has ended. */
function stepAt(heads: Head[], index: number): LogStep | undefined {
  const head = heads[index];
  return head === undefined || head.done ? undefined : head.value;
}

function evaluatedBy(step: LogStep | undefined): number {
  return step?.entry === null ? step.evaluated : 0;
}
