/** The costs of the periods of a budget, from the cost rollups. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { BudgetPeriod } from '#lambdas/limits/budgets/budget.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import { type CostRollupsTable, rowQuery, valueRowQuery } from '../rollups/item.ts';
import { totalsDimension, writeShardCount } from '../rollups/rollup.ts';
import { recountAttribute } from '../rollups/writer.ts';

interface PeriodCostQuery {
  organizationId: string;
  /** `null` for all keys. */
  keyIds: readonly string[] | null;
  generation: number;
  logShards: number;
  /** A time in the period, in milliseconds since 1970. */
  atMs: number;
}

const maxConcurrentQueries = 16;

/** The cost of the period so far. With `beforeMs`, without what was written from then on: the start of a recount. */
export async function periodCost(
  table: CostRollupsTable,
  { organizationId, keyIds, generation, logShards, atMs }: PeriodCostQuery,
  period: BudgetPeriod,
  beforeMs: number | null = null,
): Promise<Usd> {
  const dimension = keyIds === null ? totalsDimension : 'api_key';
  const window = { startMs: startOfPeriod(period, atMs), endMs: endOfPeriod(period, atMs) };
  const queries = Array.from({ length: writeShardCount(dimension, logShards) }, (_, writeShard) => {
    const partition = { organizationId, generation, dimension, period, writeShard } as const;
    return keyIds === null
      ? [rowQuery(table, partition, window)]
      : keyIds.map((keyId) => valueRowQuery(table, partition, window.startMs, keyId));
  }).flat();
  let sum: Usd = '0';
  await forEachConcurrently(queries, maxConcurrentQueries, async (query) => {
    for await (const { Items = [] } of paginateQuery({ client: table.client }, query)) {
      for (const item of Items) sum = addUsd(sum, costOf(item, beforeMs));
    }
  });
  return sum;
}

function costOf(item: Record<string, unknown>, beforeMs: number | null): Usd {
  const cost = String(item.cost_usd ?? '0');
  return beforeMs === null ? cost : subtractUsd(cost, String(item[recountAttribute(beforeMs)] ?? '0'));
}
