import { expect, it } from 'vitest';
import { type RowCursor, takeHours } from '#lambdas/costs/repair/row-cursor.ts';
import type { RollupPartition } from '#lambdas/costs/rollups/item.ts';
import type { RollupRow } from '#lambdas/costs/rollups/rows.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { fc } from '#test/support/fast-check.ts';

const hourMs = 3_600_000;
const window = { startMs: 0, endMs: 24 * hourMs };

function cursorOf(hours: number[], pageSize: number): RowCursor {
  const partition: RollupPartition = {
    ...{ organizationId: 'org', generation: 0, writeShard: 0 },
    ...{ dimension: 'user_id', period: 'hour' },
  };
  const rows = hours
    .toSorted((left, right) => left - right)
    .map((hour, index): RollupRow => {
      const rollup = {
        startMs: hour * hourMs,
        provider: 'p',
        model: 'm',
        value: String(index),
        totals: noTotals,
      };
      return { pk: 'pk', sk: `${hour}#${index}`, rollup };
    });
  async function* pages() {
    for (let from = 0; from < rows.length; from += pageSize) yield rows.slice(from, from + pageSize);
  }
  return { partition, pages: pages(), rows: [], hasEnded: false };
}

it('takes every row once, whole hours at a time, and keeps little more than a page', async () => {
  const hours = fc.array(fc.nat(23), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(hours, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, pageSize) => {
        const cursors = all.map((one) => cursorOf(one, pageSize));
        const taken: number[][] = [];
        let startMs = window.startMs;
        while (startMs < window.endMs) {
          const { toMs, rows } = await takeHours(cursors, { ...window, startMs });
          const starts = rows.map(({ row }) => row.rollup.startMs);
          expect(toMs).toBeGreaterThanOrEqual(startMs + hourMs);
          expect(starts.every((start) => start >= startMs && start < toMs)).toBe(true);
          taken.push(starts);
          startMs = toMs;
        }

        const sorted = (numbers: number[]) => numbers.toSorted((left, right) => left - right);
        expect(sorted(taken.flat())).toEqual(sorted(all.flat().map((hour) => hour * hourMs)));
        expect(cursors.every(({ rows }) => rows.length === 0)).toBe(true);
      },
    ),
  );
});
