import { describe, expect, it } from 'vitest';
import type { LogStep } from '#lambdas/request-log/entry.ts';
import { mergeNewestFirst } from '#lambdas/request-log/merge-runs.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

/** Ids of one letter: entries as they are, `b!3` for the word that three items were read down to b. */
function step(text: string): LogStep {
  const [id = '', evaluated] = text.split('!');
  return evaluated === undefined
    ? { id, entry: { ...logEntry(), id } }
    : { id, entry: null, evaluated: Number(evaluated) };
}

const textOf = (of: LogStep) => (of.entry === null ? `${of.id}!${of.evaluated}` : of.id);

interface Watched {
  runs: AsyncIterable<LogStep>[];
  /** What was taken from the runs, in order. */
  taken: string[];
  closed: number;
}

function watch(runs: string[]): Watched {
  const watched: Watched = { runs: [], taken: [], closed: 0 };
  watched.runs = runs.map(async function* (run) {
    try {
      for (const text of run.split(' ').filter(Boolean)) {
        watched.taken.push(text);
        yield step(text);
      }
    } finally {
      watched.closed += 1;
    }
  });
  return watched;
}

const merge = async (...runs: string[]) =>
  (await Array.fromAsync(mergeNewestFirst(watch(runs).runs))).map(textOf).join(' ');

describe('merging runs', () => {
  it('gives the newest of all runs first', async () => {
    expect(await merge('z w a', 'y x b', '', 'c')).toBe('z y x w c b a');
    expect(await merge()).toBe('');
    expect(await merge('', '')).toBe('');
  });

  it('tells that a run was read to a place when every entry from there on was given', async () => {
    expect(await merge('z y!2 c', 'x b')).toBe('z y!2 x c b');
    expect(await merge('w!5 c', 'x b')).toBe('x w!5 c b');
  });

  it('gives an entry before the word that a run was read to that very entry', async () => {
    expect(await merge('m!4', 'm b')).toBe('m m!4 b');
    expect(await merge('m b', 'm!4')).toBe('m m!4 b');
  });

  it('reads on all runs that have nothing to give at once, and counts them together', async () => {
    const watched = watch(['m!1 f!10 b', 'k!2 e', 'l d']);
    const merged = mergeNewestFirst(watched.runs);
    expect([await merged.next()].map(({ value }) => value && textOf(value))).toEqual(['m!3']);
    expect(watched.taken).toEqual(['m!1', 'k!2', 'l']);
    await merged.next();
    expect(watched.taken).toEqual(['m!1', 'k!2', 'l', 'f!10', 'e']);
  });

  it('takes no more than the next step of each run before it is asked, and closes all when it is left', async () => {
    const watched = watch(['z y x', 'c b a']);
    const merged = mergeNewestFirst(watched.runs);
    await merged.next();
    expect(watched.taken).toEqual(['z', 'c']);
    await merged.return(undefined);
    expect(watched.closed).toBe(2);
  });

  it('closes the other runs when one fails', async () => {
    const watched = watch(['z y', 'x']);
    // biome-ignore lint/correctness/useYield: it fails before it has anything to give.
    async function* failing(): AsyncGenerator<LogStep> {
      throw new Error('no capacity');
    }
    const merged = mergeNewestFirst([...watched.runs, failing()]);
    await expect(merged.next()).rejects.toThrow('no capacity');
    expect(watched.closed).toBe(2);
  });

  it('keeps what it says, whatever the runs are', async () => {
    const letters = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), { maxLength: 20 });
    const isMark = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    const run = fc.tuple(letters, isMark).map(([ids, marks]) =>
      ids
        .toSorted()
        .reverse()
        .map((id, index) => (marks[index] ? `${id}!1` : id)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 5 }), async (runs) => {
        const merged = (await merge(...runs.map((steps) => steps.join(' ')))).split(' ').filter(Boolean);
        const isEntry = (text: string) => !text.includes('!');
        const all = runs.flat();
        expect(merged.filter(isEntry)).toEqual(all.filter(isEntry).toSorted().reverse());
        const marks = merged.filter((text) => !isEntry(text));
        const evaluated = marks.map((text) => Number(text.split('!')[1])).reduce((sum, n) => sum + n, 0);
        expect(evaluated).toBe(all.length - all.filter(isEntry).length);
        for (const mark of marks) {
          const [id = ''] = mark.split('!');
          const later = merged.slice(merged.indexOf(mark) + 1).filter(isEntry);
          expect(later.every((entry) => entry < id)).toBe(true);
        }
      }),
    );
  });
});
