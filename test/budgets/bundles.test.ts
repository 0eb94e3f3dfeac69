/**
 * How many bytes a function has. Node reads and compiles what a cold start imports before it can answer; all of it is
 * fetched and unpacked before that.
 *
 * When one of these fails, something has come into a bundle: `npm run bench:start-up` names the packages. A lazy
 * `import()` keeps what few requests need out of the cold start. What is worth its bytes raises the bound, with the
 * reason in the commit.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { coldStartOf } from '#bench/start-up/bundles.ts';
import { bundleOptions } from '#lib/functions/function-bundle.ts';

/** At most, each a few percent above what it had when it was last raised. */
const budgets: Record<string, { coldStart: number; whole: number }> = {
  // Has no SDK of AWS; see `start-up.test.ts`.
  'inference/chat/chat.lambda.ts': { coldStart: 78_000, whole: 311_000 },
  'costs/report/costs.lambda.ts': { coldStart: 231_000, whole: 282_000 },
  'request-log/report/log.lambda.ts': { coldStart: 217_000, whole: 268_000 },
  'request-log/report/logs.lambda.ts': { coldStart: 223_000, whole: 274_000 },
  // With the price table, whose names are the list.
  'inference/models/models.lambda.ts': { coldStart: 388_000, whole: 439_000 },
  'request-log/recover/recovery.lambda.ts': { coldStart: 14_000, whole: 14_000 },
  'costs/rollups/rollup.lambda.ts': { coldStart: 216_000, whole: 266_000 },
};

function bytesOf(entry: string): { coldStart: number; whole: number } {
  const options = { ...bundleOptions(entry), outdir: 'unwritten', write: false, metafile: true } as const;
  const { metafile } = buildSync(options);
  const sum = (files: string[]) =>
    files.reduce((bytes, file) => bytes + (metafile.outputs[file]?.bytes ?? 0), 0);
  return { coldStart: sum(coldStartOf(metafile).files), whole: sum(Object.keys(metafile.outputs)) };
}

describe('the bytes of a bundle', () => {
  it('are bounded for every function that there is', () => {
    const entries = globSync('**/*.lambda.ts', { cwd: path.join(import.meta.dirname, '../../lambdas') });

    expect(Object.keys(budgets).sort()).toEqual(entries.sort());
  });

  it.each(Object.entries(budgets))('stay within those of %s', (entry, budget) => {
    const { coldStart, whole } = bytesOf(entry);

    expect(coldStart).toBeLessThanOrEqual(budget.coldStart);
    expect(whole).toBeLessThanOrEqual(budget.whole);
  });
});
