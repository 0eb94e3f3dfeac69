/**
 * How many bytes a function has. Node reads and compiles what a cold start imports before it can answer; all of it is
 * fetched and unpacked before that.
 *
 * When one of these fails, something has come into a bundle: `npm run bench:start-up` names the packages. A lazy
 * `import()` keeps what few requests need out of the cold start. What is worth its bytes raises the bound, with the
 * reason in the commit.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { coldStartOf } from '#bench/start-up/cold-start.ts';
import { bundleOptions } from '#lib/functions/function-bundle.ts';

/** At most, each a few percent above what it had when it was last raised. */
const budgets: Record<string, { coldStart: number; whole: number }> = {
  // Has no SDK of AWS; see `start-up.test.ts`.
  chat: { coldStart: 78_000, whole: 311_000 },
  costs: { coldStart: 231_000, whole: 282_000 },
  log: { coldStart: 217_000, whole: 268_000 },
  logs: { coldStart: 223_000, whole: 274_000 },
  // With the price table, whose names are the list.
  models: { coldStart: 388_000, whole: 439_000 },
  recovery: { coldStart: 13_500, whole: 13_500 },
  rollup: { coldStart: 216_000, whole: 266_000 },
};

function bytesOf(folder: string): { coldStart: number; whole: number } {
  const options = { ...bundleOptions(folder), outdir: 'unwritten', write: false, metafile: true } as const;
  const { metafile } = buildSync(options);
  const sum = (files: string[]) =>
    files.reduce((bytes, file) => bytes + (metafile.outputs[file]?.bytes ?? 0), 0);
  return { coldStart: sum(coldStartOf(metafile).files), whole: sum(Object.keys(metafile.outputs)) };
}

describe('the bytes of a bundle', { timeout: 30_000 }, () => {
  it('are bounded for every function that there is', () => {
    const folders = readdirSync(path.join(import.meta.dirname, '../../lambdas'));

    expect(Object.keys(budgets)).toEqual(folders.filter((folder) => folder !== 'shared').sort());
  });

  it.each(Object.entries(budgets))('stay within those of %s', (folder, budget) => {
    const { coldStart, whole } = bytesOf(folder);

    expect(coldStart).toBeLessThanOrEqual(budget.coldStart);
    expect(whole).toBeLessThanOrEqual(budget.whole);
  });
});
