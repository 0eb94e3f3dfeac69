import { describe, expect, it } from 'vitest';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { mergeOldestFirst } from '#lambdas/request-log/merge-oldest-first.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const entries = (ids: readonly string[]) => ids.map((id) => ({ entry: logEntry({ id }), writtenAtMs: 0 }));

async function* inPages(pages: readonly StoredLogEntry[][]): AsyncGenerator<StoredLogEntry[]> {
  yield* pages;
}

async function mergedIds(runs: readonly StoredLogEntry[][][]): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of mergeOldestFirst(runs.map(inPages))) {
    expect(batch).not.toEqual([]);
    ids.push(...batch.map(({ entry }) => entry.id));
  }
  return ids;
}

/** Runs in pages, some of them empty, of ids of which many share a millisecond. */
const runs = fc
  .array(fc.array(fc.array(fc.nat({ max: 30 }), { maxLength: 4 }), { maxLength: 6 }), { maxLength: 5 })
  .map((numbers) =>
    numbers.map((pages, shard) => {
      const ids = pages.flat().map((ms) => createLogId(1_700_000_000_000 + ms, shard));
      const sorted = entries(ids.sort());
      let from = 0;
      return pages.map(({ length }) => {
        from += length;
        return sorted.slice(from - length, from);
      });
    }),
  );

describe('entries of several shards', () => {
  it('come in one order, each once, however they lie in pages', async () => {
    await fc.assert(
      fc.asyncProperty(runs, async (pages) => {
        const expected = pages.flat(2).map(({ entry }) => entry.id);
        expect(await mergedIds(pages)).toEqual(expected.sort());
      }),
    );
  });

  it('are read two pages ahead, and no further before they are wanted', async () => {
    let pagesRead = 0;
    async function* endless(): AsyncGenerator<StoredLogEntry[]> {
      for (;;) {
        pagesRead += 1;
        yield entries([createLogId(1_700_000_000_000 + pagesRead)]);
      }
    }
    const merged = mergeOldestFirst([endless()]);

    await merged.next();
    const afterTheFirst = pagesRead;
    await merged.next();
    const afterTheSecond = pagesRead;
    await merged.return(undefined);

    expect([afterTheFirst, afterTheSecond]).toEqual([2, 3]);
  });

  it('fail when one of the shards fails, and let go of the others', async () => {
    const released: string[] = [];
    async function* kept(): AsyncGenerator<StoredLogEntry[]> {
      try {
        for (;;) yield entries([createLogId(1_700_000_000_000)]);
      } finally {
        released.push('kept');
      }
    }
    async function* failing(): AsyncGenerator<StoredLogEntry[]> {
      yield entries([createLogId(1_700_000_000_000)]);
      throw new Error('The table does not answer');
    }
    const readAll = async () => {
      for await (const _ of mergeOldestFirst([kept(), failing()]));
    };

    await expect(readAll()).rejects.toThrow('The table does not answer');
    expect(released).toEqual(['kept']);
  });
});
