import { describe, expect, it } from 'vitest';
import {
  ascending,
  descending,
  mergeSorted,
  readAhead,
  type SortedPage,
} from '#lambdas/platform/merge-sorted.ts';
import { fc } from '#test/support/fast-check.ts';

interface Page extends SortedPage<string> {
  name: string;
}

/** `z y!m` is a page with two items that is complete down to m; without `!`, it is the last of its run. */
function pageOf(name: string): Page {
  const [items = '', completeTo = null] = name.split('!');
  return { name, items: items.split(' ').filter(Boolean), completeTo };
}

interface Watched {
  runs: AsyncIterable<Page>[];
  /** The pages that were read, in order. */
  read: string[];
  closed: number;
}

function watch(...runs: string[][]): Watched {
  const watched: Watched = { runs: [], read: [], closed: 0 };
  watched.runs = runs.map(async function* (pages) {
    try {
      for (const name of pages) {
        watched.read.push(name);
        yield pageOf(name);
      }
    } finally {
      watched.closed += 1;
    }
  });
  return watched;
}

const itself = (item: string) => item;
const merge = ({ runs }: Watched) => mergeSorted(runs, { keyOf: itself, compare: descending });

/** The batches as text: items, then the key to which they are complete and the pages that are finished. */
const batchesOf = async (...runs: string[][]) =>
  (await Array.fromAsync(merge(watch(...runs)))).map(
    ({ items, completeTo, finished }) =>
      `${items.join('')} ${completeTo} ${finished.map(({ name }) => name).join(', ')}`,
  );

describe('merging sorted runs', () => {
  it('gives the items of all runs in order', async () => {
    expect(await batchesOf(['z w a'], ['y x b'], [''], ['c'])).toEqual(['zyxwcba null ']);
    expect(await batchesOf()).toEqual([]);
    expect(await batchesOf([''], [])).toEqual([' null ']);
  });

  it('gives what is complete in every run, and keeps the rest until it is', async () => {
    expect(await batchesOf(['z y!y', 'c'], ['x b'])).toEqual(['zy y z y!y', 'xcb null ']);
    expect(await batchesOf(['!w', 'c'], ['x b'])).toEqual(['x w !w', 'cb null ']);
    expect(await batchesOf(['m!m', 'b'], ['m!f', 'a'])).toEqual(['mm m m!m, m!f', 'ba null ']);
  });

  it('reads on all runs that have nothing left at once, and only those', async () => {
    const watched = watch(['!m', '!f', 'b'], ['!k', 'e'], ['l d']);
    const merged = merge(watched);

    expect((await merged.next()).value).toMatchObject({ items: [], completeTo: 'm' });
    expect(watched.read).toEqual(['!m', '!k', 'l d']);

    expect((await merged.next()).value).toMatchObject({ items: ['l'], completeTo: 'f' });
    expect(watched.read).toEqual(['!m', '!k', 'l d', '!f', 'e']);
  });

  it('closes all runs when it is left, and when one fails', async () => {
    const left = watch(['z!y', 'x'], ['c b a']);
    const merged = merge(left);
    await merged.next();
    await merged.return(undefined);
    expect(left.closed).toBe(2);

    const watched = watch(['z y'], ['x']);
    // biome-ignore lint/correctness/useYield: it fails before its first page.
    async function* failing(): AsyncGenerator<Page> {
      throw new Error('no capacity');
    }
    await expect(merge({ ...watched, runs: [...watched.runs, failing()] }).next()).rejects.toThrow(
      'no capacity',
    );
    expect(watched.closed).toBe(2);
  });

  it('gives every item once, in order, and finishes every page but the last ones, however items lie in pages', async () => {
    const letters = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), { maxLength: 20 });
    const run = fc.tuple(letters, fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 5 }), async (runs) => {
        const watched = watch(...runs.map(([ids, sizes]) => inPages(ids.toSorted(descending), sizes)));
        const batches = await Array.fromAsync(merge(watched));

        const all = runs.flatMap(([ids]) => ids).toSorted(descending);
        expect(batches.flatMap(({ items }) => items)).toEqual(all);
        const finished = batches.flatMap(({ finished: pages }) => pages.map(({ name }) => name));
        expect(finished.toSorted()).toEqual(watched.read.filter((name) => name.includes('!')).toSorted());
        for (const [index, { completeTo }] of batches.entries()) {
          const later = batches.slice(index + 1).flatMap(({ items }) => items);
          expect(later.every((item) => completeTo !== null && item < completeTo)).toBe(true);
        }
      }),
    );
  });

  it('merges in the order of its comparison', async () => {
    const runs = watch(['a z'], ['b y']).runs;
    const [batch] = await Array.fromAsync(mergeSorted(runs, { keyOf: itself, compare: ascending }));
    expect(batch?.items).toEqual(['a', 'b', 'y', 'z']);
  });
});

/** Pages of these sizes, some of them empty, each complete to its last item or the one before it. */
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

describe('reading ahead', () => {
  it('reads one page further than is wanted', async () => {
    const { runs, read } = watch(['a', 'b', 'c', 'd']);
    const [pages = runs[0]] = runs.map(readAhead);
    const iterator = pages?.[Symbol.asyncIterator]();
    expect(read).toEqual([]);
    await iterator?.next();
    expect(read).toEqual(['a', 'b']);
    await iterator?.next();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('fails in the turn of the page that fails, and closes the source when it is left', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield 'a';
        throw new Error('no capacity');
      } finally {
        isClosed = true;
      }
    }
    const failing = readAhead(source());
    expect(await failing.next()).toEqual({ done: false, value: 'a' });
    await expect(failing.next()).rejects.toThrow('no capacity');

    isClosed = false;
    const left = readAhead(source());
    await left.next();
    await left.return(undefined);
    expect(isClosed).toBe(true);
  });
});
