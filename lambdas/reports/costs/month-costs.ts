/**
 * Reads what each API key has cost with each model, operation and service tier in a UTC month, from the sums by key and month.
 */

import { type CostRollup, isInCosts, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { isZero, sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { isStandardName } from '#lambdas/pricing/price-context.ts';
import { maxEntryDelayWithSkewMs } from '#lambdas/request-log/durations.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { type CostDependencies, readCountingState } from './read.ts';
import { maxItems } from './read-limit.ts';

export interface MonthCosts {
  /** In no particular order. No two have the same key, model, operation and tier. */
  lines: CostLine[];
  /** In milliseconds since 1970. */
  completeUntilMs: number;
  /** True when the month has ended and everything in it has been counted. */
  isFinal: boolean;
}

export interface CostLine {
  provider: string;
  model: string;
  operation: OperationName;
  /** `null` for the standard tier, by whatever name, or without one, the provider stated it. */
  serviceTier: string | null;
  apiKeyId: string;
  /** Without histograms. */
  totals: Totals;
}

const dimension = 'api_key';

/** For a statement that would be too large. */
export const statementRemedy =
  'export its entries with "admin logs export", or use GET /api/costs with a filter';

/** Throws a `GatewayError` (400) if there are too many sums. */
export async function readMonthCosts(
  dependencies: Omit<CostDependencies, 'readEntries'>,
  organizationId: string,
  month: TimeWindow,
): Promise<MonthCosts> {
  const { logShards, generation, completeUntilMs, mayBeRepriced } = await readCountingState(
    dependencies,
    organizationId,
  );
  const rows: CostRollup[] = [];
  let rowsRead = 0;
  const writeShards = writeShardCount(dimension, logShards);
  const partitions = { organizationId, generation, dimension, period: 'month', writeShards } as const;
  for await (const row of dependencies.rollupReader.read({ ...partitions, window: month })) {
    rowsRead += 1;
    if (rowsRead > maxItems) throw tooManyLinesError();
    // Histograms are most of a row's size.
    if (isInCosts(row, dimension)) rows.push({ ...row, totals: { ...row.totals, histograms: {} } });
  }
  return {
    lines: toLines(rows),
    completeUntilMs,
    isFinal: completeUntilMs >= month.endMs + maxEntryDelayWithSkewMs && !mayBeRepriced,
  };
}

/** Adds up the rows of several write shards and names of the standard tier. Leaves out rows that cancel each other out. */
function toLines(rows: readonly CostRollup[]): CostLine[] {
  const parts = rows.map(({ provider, model, operation, serviceTier, value, totals }) => ({
    line: { provider, model, operation, serviceTier: toTier(serviceTier), apiKeyId: value ?? '' },
    totals,
  }));
  return [...Map.groupBy(parts, ({ line }) => JSON.stringify(line)).values()].flatMap((members) => {
    const [first] = members;
    const totals = sumTotals(members.map((member) => member.totals));
    return first === undefined || isZero(totals) ? [] : [{ ...first.line, totals }];
  });
}

function toTier(serviceTier: string | null): string | null {
  return serviceTier === null || isStandardName(serviceTier) ? null : serviceTier;
}

function tooManyLinesError(): GatewayError {
  return invalidRequestError(
    'month',
    `The month has more sums of a key, model, operation and service tier than a statement can have (${maxItems}): ${statementRemedy}`,
  );
}
