import { expect, it } from 'vitest';
import { joinRows } from '#lambdas/costs/repair/joined-rows.ts';
import type { RollupRow } from '#lambdas/costs/rollups/rows.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { fc } from '#test/support/fast-check.ts';

function row(span: string, value: string): RollupRow {
  const rollup = { startMs: 0, provider: 'openai', model: 'gpt-4o', value, totals: noTotals };
  return { pk: 'pk', sk: `${span}#${value}`, rollup };
}

/** Pages of two, in the order of DynamoDB's keys. */
function pagesOf(span: string, values: string[]): RollupRow[][] {
  const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));
  const rows = [...new Set(values)].sort(byBytes).map((value) => row(span, value));
  return Array.from({ length: Math.ceil(rows.length / 2) }, (_, page) => rows.slice(2 * page, 2 * page + 2));
}

it('brings together what differs by its span alone, each once, whatever order texts have elsewhere', async () => {
  // Beyond U+FFFF, the order of UTF-16 is another one than that of UTF-8.
  const value = fc.string({ unit: fc.constantFrom('a', '#', 'é', '\uff61', '🂡'), maxLength: 3 });
  const runs = fc.array(fc.array(value, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(runs, async (values) => {
      const joined = await Array.fromAsync(joinRows(values.map((of, run) => pagesOf(`span ${run}`, of))));

      const all = [...new Set(values.flat())];
      const found = joined.map((rows) => rows.map((one) => one?.rollup.value ?? null));
      expect(found).toHaveLength(all.length);
      for (const one of all)
        expect(found).toContainEqual(values.map((of) => (of.includes(one) ? one : null)));
    }),
  );
});
