/** Merges runs that are each in order into one, whatever the order is, page by page. */

/** Some items of a run, in order. */
export interface SortedPage<Item> {
  items: readonly Item[];
  /** The key up to which this page and those before it have every item of the run; `null` when it is the run's last. */
  completeTo: string | null;
}

export interface Order<Item> {
  keyOf(item: Item): string;
  /** Negative when the first key comes before the second, zero when they are the same. */
  compare(one: string, other: string): number;
}

/** All items up to a key that were in no batch before, from all runs. */
export interface MergedBatch<Item, Page> {
  /** In order; those with the same key in the order of their runs. Can be empty. */
  items: Item[];
  /** Up to here everything was given; `null` when that is all. */
  completeTo: string | null;
  /** Pages of which every item has been given by now, each told once, without the last ones of the runs. */
  finished: Page[];
}

interface Run<Item, Page> {
  pages: AsyncIterator<Page>;
  page: Page | null;
  /** The items of the page that were not given yet. */
  items: readonly Item[];
}

/** By UTF-16 code units, which for ids and other ASCII text is the order of DynamoDB. */
export function ascending(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export function descending(one: string, other: string): number {
  return ascending(other, one);
}

/**
 * A run is read on when all of its items were given, and then all such runs are read at once: filters that match little
 * would otherwise be read one run after the other. In memory is one page of each run.
 */
export async function* mergeSorted<Item, Page extends SortedPage<Item>>(
  sources: readonly AsyncIterable<Page>[],
  order: Order<Item>,
): AsyncGenerator<MergedBatch<Item, Page>> {
  const { keyOf, compare } = order;
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  let runs = iterators.map((pages): Run<Item, Page> => ({ pages, page: null, items: [] }));
  try {
    for (;;) {
      const more = await Promise.all(runs.map(readOn));
      runs = runs.filter((_, index) => more[index]);
      if (runs.length === 0) return;
      const completeTo = runs
        .flatMap(({ page }) => page?.completeTo ?? [])
        .reduce<string | null>(
          (first, key) => (first === null || compare(key, first) < 0 ? key : first),
          null,
        );
      const items = runs.flatMap((run) => takeUpTo(run, completeTo, order));
      items.sort((one, other) => compare(keyOf(one), keyOf(other)));
      const finished = runs.flatMap(({ page, items: left }) =>
        page !== null && page.completeTo !== null && left.length === 0 ? [page] : [],
      );
      yield { items, completeTo, finished };
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

/** Takes the items up to a key from a run; all of them where it is `null`. */
function takeUpTo<Item>(
  run: Run<Item, unknown>,
  lastKey: string | null,
  { keyOf, compare }: Order<Item>,
): readonly Item[] {
  const later = lastKey === null ? -1 : run.items.findIndex((item) => compare(keyOf(item), lastKey) > 0);
  const count = later === -1 ? run.items.length : later;
  const taken = run.items.slice(0, count);
  run.items = run.items.slice(count);
  return taken;
}

/** Reads the next page of a run that has no items left. `false` when the run has ended. */
async function readOn<Item, Page extends SortedPage<Item>>(run: Run<Item, Page>): Promise<boolean> {
  if (run.items.length > 0) return true;
  const { done, value } = await run.pages.next();
  if (done) return false;
  run.page = value;
  run.items = value.items;
  return true;
}

/** The same pages, each read while the one before is in use. A failure is thrown when its page's turn has come. */
export async function* readAhead<Page>(source: AsyncIterable<Page>): AsyncGenerator<Page> {
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
