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
