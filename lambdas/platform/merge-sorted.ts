/** A k-way merge: merges sorted runs that are read page by page into one sorted sequence. */

/** Consecutive items of a run, in order. */
export interface SortedPage<Item> {
  items: readonly Item[];
  /**
   * This page and the pages before it contain every item of the run up to and including this key; `null` on the last
   * page of the run.
   */
  completeThrough: string | null;
}

interface SortOrder<Item> {
  keyOf(item: Item): string;
  compare(a: string, b: string): number;
}

interface MergedBatch<Item, Page> {
  /** In order; items with the same key in the order of their runs. Can be empty. */
  items: Item[];
  /** Like `SortedPage.completeThrough`, for this batch and the batches before it. */
  completeThrough: string | null;
  /** Pages whose last item is in this batch, except for the last page of each run. */
  consumedPages: Page[];
}

interface Run<Item, Page> {
  pages: AsyncIterator<Page>;
  page: Page | null;
  /** The items of `page` that no batch contains yet. */
  items: readonly Item[];
}

/** Compares UTF-16 code units. For ids and other ASCII text this is DynamoDB's order. */
export function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function descending(a: string, b: string): number {
  return ascending(b, a);
}

/**
 * Reads the next page of a run when its items are used up, and of all such runs concurrently: with selective
 * filters, the runs would otherwise be read one after the other. Holds one page of each run in memory.
 */
export async function* mergeSorted<Item, Page extends SortedPage<Item>>(
  sources: readonly AsyncIterable<Page>[],
  order: SortOrder<Item>,
): AsyncGenerator<MergedBatch<Item, Page>> {
  const { keyOf, compare } = order;
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  let runs = iterators.map((pages): Run<Item, Page> => ({ pages, page: null, items: [] }));
  try {
    for (;;) {
      const hasPage = await Promise.all(runs.map(readNextPage));
      runs = runs.filter((_, index) => hasPage[index]);
      if (runs.length === 0) return;
      const completeThrough = runs
        .flatMap(({ page }) => page?.completeThrough ?? [])
        .reduce<string | null>(
          (first, key) => (first === null || compare(key, first) < 0 ? key : first),
          null,
        );
      const items = runs.flatMap((run) => takeThrough(run, completeThrough, order));
      items.sort((a, b) => compare(keyOf(a), keyOf(b)));
      const consumedPages = runs.flatMap(({ page, items: remaining }) =>
        page !== null && page.completeThrough !== null && remaining.length === 0 ? [page] : [],
      );
      yield { items, completeThrough, consumedPages };
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

/** Removes and returns the items up to and including `lastKey`; all items when it is `null`. */
function takeThrough<Item>(
  run: Run<Item, unknown>,
  lastKey: string | null,
  { keyOf, compare }: SortOrder<Item>,
): readonly Item[] {
  const later = lastKey === null ? -1 : run.items.findIndex((item) => compare(keyOf(item), lastKey) > 0);
  const count = later === -1 ? run.items.length : later;
  const taken = run.items.slice(0, count);
  run.items = run.items.slice(count);
  return taken;
}

/** Returns `false` when the run has ended. */
async function readNextPage<Item, Page extends SortedPage<Item>>(run: Run<Item, Page>): Promise<boolean> {
  if (run.items.length > 0) return true;
  const { done, value } = await run.pages.next();
  if (done) return false;
  run.page = value;
  run.items = value.items;
  return true;
}

/**
 * Yields the same pages, and reads each page while the previous one is being processed. A read error is thrown when the
 * consumer reaches its page.
 */
export async function* prefetch<Page>(source: AsyncIterable<Page>): AsyncGenerator<Page> {
  const pages = source[Symbol.asyncIterator]();
  const read = () => {
    const next = pages.next();
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await pages.return?.();
  }
}
