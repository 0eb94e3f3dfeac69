/**
 * Does the work for each item, for at most `atOnce` of them at a time.
 *
 * After a failure nothing new begins; what is under way ends before the failure is thrown, so that nothing is left to
 * run on in a function that has answered.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const waiting = Iterator.from(items);
  const worker = async () => {
    // All workers draw from the same iterator.
    for (const item of waiting) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
