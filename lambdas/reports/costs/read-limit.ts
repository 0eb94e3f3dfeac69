/** Limits the number of items that a cost query reads, which bounds its cost and duration. */

import { totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/platform/period.ts';
import type { CostQuery } from './query.ts';
import { type ComparedRange, longerInterval } from './window.ts';

/** Rollup rows and log entries together: up to 50 MB, and a few seconds. */
export const maxItems = 50_000;

/** An item is a rollup row, or belongs to the partial period at the start or the end of the window. */
const readKinds = ['rollup', 'start', 'end'] as const;
export type ReadKind = (typeof readKinds)[number];

export interface ReadLimit {
  /** Throws a `GatewayError` (400) that names the parameter to change when the limit is exceeded. */
  consume(kind: ReadKind, items: number): void;
}

/** `comparison` is the parameter of the range to compare with, for the reads of that. */
export function createReadLimit(query: CostQuery, comparison?: ComparedRange['parameter']): ReadLimit {
  const itemsRead: Record<ReadKind, number> = { rollup: 0, start: 0, end: 0 };
  return {
    consume(kind, items) {
      itemsRead[kind] += items;
      if (itemsRead.rollup + itemsRead.start + itemsRead.end <= maxItems) return;
      const [topKind = kind] = readKinds.toSorted((one, other) => itemsRead[other] - itemsRead[one]);
      if (topKind === 'rollup') throw tooManyRollupsError(query);
      throw comparison === undefined
        ? tooManyEntriesError(query, topKind)
        : tooManyComparedEntriesError(query, comparison);
    },
  };
}

function tooManyRollupsError({ groupBy, dimensions, valueFilter, series }: CostQuery): GatewayError {
  const isGrouped = valueFilter === null && dimensions.groups !== totalsDimension;
  const interval = series && longerInterval(series.interval);
  const remedies = [
    ...(isGrouped ? ['group by a field with fewer values'] : []),
    ...(interval === null ? [] : [`use interval=${interval}`]),
    'choose a shorter window',
  ];
  return invalidRequestError(
    isGrouped ? 'group_by' : 'start',
    `The window has too many sums${isGrouped ? ` by ${groupBy}` : ''} (a report reads at most ${maxItems} items): ` +
      remedies.join(', or '),
  );
}

function withArticle(period: Period): string {
  return period === 'hour' ? 'an hour' : `a ${period}`;
}

function tooManyComparedEntriesError(
  { dimensions: { finestPeriod } }: CostQuery,
  parameter: ComparedRange['parameter'],
): GatewayError {
  return invalidRequestError(
    parameter,
    `The range to compare with splits ${withArticle(finestPeriod)} that has too many requests (a report reads at most ${maxItems} items): ` +
      `use bounds at whole ${finestPeriod}s`,
  );
}

function tooManyEntriesError(
  { window, dimensions: { finestPeriod } }: CostQuery,
  bound: 'start' | 'end',
): GatewayError {
  const boundMs = window[`${bound}Ms`];
  const wholeBounds = [startOfPeriod(finestPeriod, boundMs), endOfPeriod(finestPeriod, boundMs)];
  return invalidRequestError(
    bound,
    `${bound} splits ${withArticle(finestPeriod)} that has too many requests (a report reads at most ${maxItems} items): ` +
      `use ${wholeBounds.map((ms) => new Date(ms).toISOString()).join(' or ')}`,
  );
}
