/** How much API keys have been used, from the rollups by key, so that a request writes nothing for it. */

import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { isInCosts, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { endOfPeriod, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';

export interface KeyUsage {
  /** The last UTC day with requests among the last `lastUseDays`, such as `2026-11-23`. */
  lastUsedOn: string | null;
  /** In the last `spendDays` UTC days, today included. */
  spentUsd: Usd;
  /** The part of `spentUsd` that is assumed or estimated. */
  uncertainUsd: Usd;
  requests: number;
  unpricedRequests: number;
}

export const noUsage: KeyUsage = {
  lastUsedOn: null,
  spentUsd: '0',
  uncertainUsd: '0',
  requests: 0,
  unpricedRequests: 0,
};

const lastUseDays = 90;
const spendDays = 30;
const dimension = 'api_key';
const period = 'day';

interface UsageScope {
  organizationId: string;
  logShards: number;
}

const noSums = { spentUnits: 0n, uncertainUnits: 0n, requests: 0, unpricedRequests: 0 };

/** By key. Requests count as soon as the rollups have counted them; rejected ones do not count. */
export async function readKeyUsage(
  table: CostRollupsTable,
  { organizationId, logShards }: UsageScope,
  now: Date,
): Promise<Map<string, KeyUsage>> {
  const todayMs = startOfPeriod(period, now.getTime());
  const firstDayMs = (days: number) => todayMs - (days - 1) * dayMs;
  const { generation } = await findRollupState(table, organizationId);
  const rows = createCostRollupReader(table).read({
    organizationId,
    generation,
    dimension,
    period,
    writeShards: writeShardCount(dimension, logShards),
    window: { startMs: firstDayMs(lastUseDays), endMs: endOfPeriod(period, todayMs) },
  });
  const sums = new Map<string, UsageSums>();
  for await (const row of rows) {
    const { value, startMs, totals } = row;
    // A change of the service tier moves a request to another row.
    if (value === null || !isInCosts(row, dimension) || totals.requests === 0) continue;
    const sum = sums.get(value) ?? { ...noSums, lastUsedMs: startMs };
    sum.lastUsedMs = Math.max(sum.lastUsedMs, startMs);
    if (startMs >= firstDayMs(spendDays)) {
      sum.spentUnits += toUnits(totals.cost_usd);
      sum.uncertainUnits += toUnits(totals.assumed_cost_usd) + toUnits(totals.estimated_cost_usd);
      sum.requests += totals.requests;
      sum.unpricedRequests += totals.unpriced_requests;
    }
    sums.set(value, sum);
  }
  return new Map([...sums].map(([keyId, sum]) => [keyId, toUsage(sum)]));
}

/** Amounts are in the units of `toUnits`. */
interface UsageSums extends Pick<KeyUsage, 'requests' | 'unpricedRequests'> {
  lastUsedMs: number;
  spentUnits: bigint;
  uncertainUnits: bigint;
}

function toUsage({ lastUsedMs, spentUnits, uncertainUnits, ...counts }: UsageSums): KeyUsage {
  return {
    lastUsedOn: periodText(period, lastUsedMs),
    spentUsd: fromUnits(spentUnits),
    uncertainUsd: fromUnits(uncertainUnits),
    ...counts,
  };
}
