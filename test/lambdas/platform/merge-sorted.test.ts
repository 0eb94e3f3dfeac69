import { describe, expect, it } from 'vitest';
import {
  ascending,
  descending,
  mergeSorted,
  prefetch,
  type SortedPage,
} from '#lambdas/platform/merge-sorted.ts';
import { fc } from '#test/support/fast-check.ts';

interface Page extends SortedPage<string> {
  name: string;
}

/** `z y!m` is a page with two items whose `completeThrough` is m; without `!`, it is the last page of its run. */
function pageOf(name: string): Page {
  const [items = '', completeThrough = null] = name.split('!');
  return { name, items: items.split(' ').filter(Boolean), completeThrough };
}

interface RecordedRuns {
  runs: AsyncIterable<Page>[];
  read: string[];
  closed: number;
}

function recordRuns(...runs: string[][]): RecordedRuns {
  const recorded: RecordedRuns = { runs: [], read: [], closed: 0 };
  recorded.runs = runs.map(async function* (pages) {
    try {
      for (const name of pages) {
        recorded.read.push(name);
        yield pageOf(name);
      }
    } finally {
      recorded.closed += 1;
    }
  });
  return recorded;
}

const identity = (item: string) => item;
const merge = ({ runs }: RecordedRuns) => mergeSorted(runs, { keyOf: identity, compare: descending });

/** The batches as text: the items, `completeThrough` and the names of the consumed pages. */
const batchesOf = async (...runs: string[][]) =>
  (await Array.fromAsync(merge(recordRuns(...runs)))).map(
    ({ items, completeThrough, consumedPages }) =>
      `${items.join('')} ${completeThrough} ${consumedPages.map(({ name }) => name).join(', ')}`,
  );

describe('mergeSorted', () => {
  it('yields the items of all runs in order', async () => {
    expect(await batchesOf(['z w a'], ['y x b'], [''], ['c'])).toEqual(['zyxwcba null ']);
    expect(await batchesOf()).toEqual([]);
    expect(await batchesOf([''], [])).toEqual([' null ']);
  });

  it('yields only items up to the key that every run has reached', async () => {
    expect(await batchesOf(['z y!y', 'c'], ['x b'])).toEqual(['zy y z y!y', 'xcb null ']);
    expect(await batchesOf(['!w', 'c'], ['x b'])).toEqual(['x w !w', 'cb null ']);
    expect(await batchesOf(['m!m', 'b'], ['m!f', 'a'])).toEqual(['mm m m!m, m!f', 'ba null ']);
  });

  it('reads the next pages of all runs without items concurrently, and of no other run', async () => {
    const recorded = recordRuns(['!m', '!f', 'b'], ['!k', 'e'], ['l d']);
    const merged = merge(recorded);

    expect((await merged.next()).value).toMatchObject({ items: [], completeThrough: 'm' });
    expect(recorded.read).toEqual(['!m', '!k', 'l d']);

    expect((await merged.next()).value).toMatchObject({ items: ['l'], completeThrough: 'f' });
    expect(recorded.read).toEqual(['!m', '!k', 'l d', '!f', 'e']);
  });

  it('closes all runs when the consumer stops early and when a run fails', async () => {
    const abandoned = recordRuns(['z!y', 'x'], ['c b a']);
    const merged = merge(abandoned);
    await merged.next();
    await merged.return(undefined);
    expect(abandoned.closed).toBe(2);

    const recorded = recordRuns(['z y'], ['x']);
    // biome-ignore lint/correctness/useYield: it fails before its first page.
    async function* failing(): AsyncGenerator<Page> {
      throw new Error('no capacity');
    }
    await expect(merge({ ...recorded, runs: [...recorded.runs, failing()] }).next()).rejects.toThrow(
      'no capacity',
    );
    expect(recorded.closed).toBe(2);
  });

  it('yields every item once, in order, and reports every page except the last of each run, for any page sizes', async () => {
    const letters = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), { maxLength: 20 });
    const run = fc.tuple(letters, fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 5 }), async (runs) => {
        const recorded = recordRuns(...runs.map(([ids, sizes]) => inPages(ids.toSorted(descending), sizes)));
        const batches = await Array.fromAsync(merge(recorded));

        const all = runs.flatMap(([ids]) => ids).toSorted(descending);
        expect(batches.flatMap(({ items }) => items)).toEqual(all);
        const consumedPages = batches.flatMap(({ consumedPages: pages }) => pages.map(({ name }) => name));
        expect(consumedPages.toSorted()).toEqual(
          recorded.read.filter((name) => name.includes('!')).toSorted(),
        );
        for (const [index, { completeThrough }] of batches.entries()) {
          const later = batches.slice(index + 1).flatMap(({ items }) => items);
          expect(later.every((item) => completeThrough !== null && item < completeThrough)).toBe(true);
        }
      }),
    );
  });

  it('merges in the order of the comparison function', async () => {
    const runs = recordRuns(['a z'], ['b y']).runs;
    const [batch] = await Array.fromAsync(mergeSorted(runs, { keyOf: identity, compare: ascending }));
    expect(batch?.items).toEqual(['a', 'b', 'y', 'z']);
  });
});

/** Splits the items into pages of these sizes. The `completeThrough` of an empty page is the last item before it. */
function inPages(items: string[], sizes: number[]): string[] {
  const pages: string[] = [];
  let from = 0;
  for (const size of sizes) {
    const page = items.slice(from, from + size);
    from += size;
    const last = items[Math.min(from, items.length) - 1];
    pages.push(`${page.join(' ')}${last === undefined ? '!~' : `!${last}`}`);
  }
  return [...pages, items.slice(from).join(' ')];
}

describe('prefetch', () => {
  it('reads one page ahead of the consumer', async () => {
    const { runs, read } = recordRuns(['a', 'b', 'c', 'd']);
    const [pages = runs[0]] = runs.map(prefetch);
    const iterator = pages?.[Symbol.asyncIterator]();
    expect(read).toEqual([]);
    await iterator?.next();
    expect(read).toEqual(['a', 'b']);
    await iterator?.next();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('throws a read error when the consumer reaches its page, and closes the source when the consumer stops', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield 'a';
        throw new Error('no capacity');
      } finally {
        isClosed = true;
      }
    }
    const failing = prefetch(source());
    expect(await failing.next()).toEqual({ done: false, value: 'a' });
    await expect(failing.next()).rejects.toThrow('no capacity');

    isClosed = false;
    const abandoned = prefetch(source());
    await abandoned.next();
    await abandoned.return(undefined);
    expect(isClosed).toBe(true);
  });
});
