import { expect, it } from 'vitest';
import { mergeJoinRows, type RowCursor, readWholeHours } from '#lambdas/costs/repair/row-cursors.ts';
import type { RollupPartition } from '#lambdas/costs/rollups/item.ts';
import type { RollupRow } from '#lambdas/costs/rollups/rows.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { fc } from '#test/support/fast-check.ts';

const hourMs = 3_600_000;
const window = { startMs: 0, endMs: 24 * hourMs };

function createCursor(hours: number[], pageSize: number): RowCursor {
  const partition: RollupPartition = {
    organizationId: 'org',
    generation: 0,
    writeShard: 0,
    dimension: 'user_id',
    period: 'hour',
  };
  const rows = hours
    .toSorted((left, right) => left - right)
    .map((hour, index): RollupRow => {
      const rollup = {
        startMs: hour * hourMs,
        provider: 'p',
        operation: 'chat.completions' as const,
        serviceTier: null,
        model: 'm',
        value: String(index),
        totals: noTotals,
      };
      return { pk: 'pk', sk: `${hour}#${index}`, rollup };
    });
  async function* pages() {
    for (let from = 0; from < rows.length; from += pageSize) yield rows.slice(from, from + pageSize);
  }
  return { partition, pages: pages(), bufferedRows: [], isExhausted: false };
}

it('returns every row once, and never a part of an hour', async () => {
  const hours = fc.array(fc.nat(23), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(hours, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      async (cursorHours, pageSize) => {
        const cursors = cursorHours.map((hours) => createCursor(hours, pageSize));
        const returned: number[][] = [];
        let startMs = window.startMs;
        while (startMs < window.endMs) {
          const { toMs, rows } = await readWholeHours(cursors, { ...window, startMs });
          const starts = rows.map(({ row }) => row.rollup.startMs);
          expect(toMs).toBeGreaterThanOrEqual(startMs + hourMs);
          expect(starts.every((start) => start >= startMs && start < toMs)).toBe(true);
          returned.push(starts);
          startMs = toMs;
        }

        const sorted = (numbers: number[]) => numbers.toSorted((left, right) => left - right);
        expect(sorted(returned.flat())).toEqual(sorted(cursorHours.flat().map((hour) => hour * hourMs)));
        expect(cursors.every(({ bufferedRows }) => bufferedRows.length === 0)).toBe(true);
      },
    ),
  );
});

function row(period: string, value: string): RollupRow {
  const rollup: RollupRow['rollup'] = {
    startMs: 0,
    provider: 'openai',
    operation: 'chat.completions',
    serviceTier: null,
    model: 'gpt-4o',
    value,
    totals: noTotals,
  };
  return { pk: 'pk', sk: `${period}#${value}`, rollup };
}

/** Pages of two rows, in the order of DynamoDB's sort keys. */
function pagesOf(period: string, values: string[]): RollupRow[][] {
  const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));
  const rows = [...new Set(values)].sort(byBytes).map((value) => row(period, value));
  return Array.from({ length: Math.ceil(rows.length / 2) }, (_, page) => rows.slice(2 * page, 2 * page + 2));
}

it('joins rows that differ only by their period, in the order of UTF-8', async () => {
  // Beyond U+FFFF, the order of UTF-16 differs from that of UTF-8.
  const value = fc.string({ unit: fc.constantFrom('a', '#', 'é', '\uff61', '🂡'), maxLength: 3 });
  const sequences = fc.array(fc.array(value, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sequences, async (values) => {
      const joined = await Array.fromAsync(
        mergeJoinRows(values.map((sequence, index) => pagesOf(`period ${index}`, sequence))),
      );

      const distinctValues = [...new Set(values.flat())];
      const found = joined.map((rows) => rows.map((one) => one?.rollup.value ?? null));
      expect(found).toHaveLength(distinctValues.length);
      for (const one of distinctValues)
        expect(found).toContainEqual(values.map((sequence) => (sequence.includes(one) ? one : null)));
    }),
  );
});
