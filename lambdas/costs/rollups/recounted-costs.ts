/**
 * The costs that a row has counted since the start of a recount of a budget.
 *
 * A recount starts at a time in the near future. What was written before is final once the stream has delivered it: the
 * cost of each row without this attribute. So the sum of these rows can be read at any time, while entries keep arriving.
 */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import type { RowAdditions } from './increments.ts';

/** Rows keep the attribute of a past recount. */
export function recountAttribute(recountFromMs: number): string {
  return `since_${recountFromMs.toString(36)}`;
}

/** The part of an update that begins with `ADD`; empty if no recount is in progress. */
export function recountAddition({ recountFromMs, additions }: RowAdditions) {
  if (recountFromMs === undefined) return { expression: '', values: {} };
  const usd = costSince(additions, recountFromMs);
  if (usd === '0') return { expression: '', values: {} };
  return {
    expression: `, ${recountAttribute(recountFromMs)} :since`,
    values: { ':since': NumberValue.from(usd) },
  };
}

function costSince(additions: RowAdditions['additions'], recountFromMs: number): Usd {
  return additions
    .filter(({ writtenAtMs }) => writtenAtMs !== null && writtenAtMs >= recountFromMs)
    .reduce((sum, { totals }) => addUsd(sum, totals.cost_usd), '0');
}
