/**
 * Runs `work` for each item, at most `concurrency` at a time.
 *
 * After a failure no further item is started, and the first error is thrown once all running work has settled: no work
 * continues after a Lambda function has returned.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const queue = Iterator.from(items);
  const worker = async () => {
    for (const item of queue) {
      if (errors.length > 0) return;
      await work(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (errors.length > 0) throw errors[0];
}

/** Limits how much work runs at the same time, apart from pauses. */
interface Slots {
  /** Waits for a free slot, and runs the work in it. */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Called by work in a slot: frees it during the pause, and then waits for another one. */
  free(pause: () => Promise<void>): Promise<void>;
}

export function createSlots(count: number): Slots {
  let available = count;
  const waiting: (() => void)[] = [];
  const take = async () => {
    if (available > 0) available -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) available += 1;
    else next();
  };
  return {
    async use(work) {
      await take();
      return work().finally(release);
    },
    async free(pause) {
      release();
      await pause().finally(take);
    },
  };
}

/** In order; the last chunk may be shorter. */
export function chunksOf<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
