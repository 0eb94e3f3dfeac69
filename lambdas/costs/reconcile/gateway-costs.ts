/** The costs that the gateway has calculated, with the requests whose cost is uncertain. */

import type { LongJob } from '#lambdas/platform/long-job.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type LogShard, readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import {
  type UncertainCosts,
  type UncertainRequests,
  uncertainCosts,
  uncertainRequests,
  uncertaintyOf,
} from '#lambdas/request-log/uncertainty.ts';
import { type PartCost, partCostsOf } from '../part-costs.ts';
import type { KnownPrices } from '../price-request.ts';
import { addModelCosts, type CostsByModel, type ModelCosts } from './model-costs.ts';

/** Each further cost is a part of `gateway_usd`. Unpriced requests have none. */
export interface GatewaySums extends UncertainRequests, UncertainCosts {
  gateway_usd: Usd;
  requests: number;
  /** Attempts after which another target has served the request. They are in the costs, but in no number of requests. */
  fallback_attempts: number;
  interrupted_requests: number;
  interrupted_cost_usd: Usd;
  gap_requests: number;
  gap_cost_usd: Usd;
}

const countNames = [
  'requests',
  'fallback_attempts',
  'unpriced_requests',
  'assumed_requests',
  'estimated_requests',
  'interrupted_requests',
  'gap_requests',
] as const satisfies readonly (keyof GatewaySums)[];

export const gatewayAmountNames = [
  'gateway_usd',
  'assumed_cost_usd',
  'estimated_cost_usd',
  'interrupted_cost_usd',
  'gap_cost_usd',
] as const satisfies readonly (keyof GatewaySums)[];

export const noGatewaySums: GatewaySums = {
  gateway_usd: '0',
  requests: 0,
  fallback_attempts: 0,
  ...uncertainRequests(null),
  ...uncertainCosts(null, '0'),
  interrupted_requests: 0,
  interrupted_cost_usd: '0',
  gap_requests: 0,
  gap_cost_usd: '0',
};

export function addGatewaySums(left: GatewaySums, right: GatewaySums): GatewaySums {
  const sum = { ...left };
  for (const name of countNames) sum[name] += right[name];
  for (const name of gatewayAmountNames) sum[name] = addUsd(left[name], right[name]);
  return sum;
}

/** The costs of one entry. It counts as a request, or an attempt, of the model that served its first part. */
export function gatewayCostsOf(entry: LogEntry, prices: KnownPrices): ModelCosts<GatewaySums>[] {
  const date = periodText('day', Date.parse(entry.created_at));
  return partCostsOf(entry, prices).flatMap((part, index) => {
    const model = part.model === '' ? null : part.model;
    const sums = { ...amountsOf(entry, tokensUsd(part)), ...(index === 0 && countsOf(entry)) };
    const ofModel = { date, model, sums };
    if (part.unitsUsd === '0') return [ofModel];
    return [ofModel, { date, model: null, sums: amountsOf(entry, part.unitsUsd) }];
  });
}

function tokensUsd({ costUsd, unitsUsd }: PartCost): Usd {
  return subtractUsd(costUsd, unitsUsd);
}

function countsOf(entry: LogEntry): Partial<GatewaySums> {
  if (entry.superseded_by !== null) return { fallback_attempts: 1 };
  return {
    requests: 1,
    ...uncertainRequests(uncertaintyOf(entry)),
    interrupted_requests: Number(isInterrupted(entry)),
    gap_requests: Number(hasGaps(entry)),
  };
}

function amountsOf(entry: LogEntry, usd: Usd): GatewaySums {
  return {
    ...noGatewaySums,
    gateway_usd: usd,
    ...uncertainCosts(uncertaintyOf(entry), usd),
    interrupted_cost_usd: isInterrupted(entry) ? usd : '0',
    gap_cost_usd: hasGaps(entry) ? usd : '0',
  };
}

const isInterrupted = ({ outcome }: LogEntry) => outcome === 'interrupted';
const hasGaps = ({ pricing_gaps }: LogEntry) => (pricing_gaps ?? []).length > 0;

interface GatewayCostsQuery {
  logEntries: LogEntriesTable;
  shards: readonly LogShard[];
  period: TimeWindow;
  provider: string;
  prices: KnownPrices;
  job: Pick<LongJob, 'signal' | 'report'>;
}

/** Reads the log entries of all shards, and sums the costs of those that the provider can have billed. */
export async function readGatewayCosts(query: GatewayCostsQuery): Promise<CostsByModel<GatewaySums>> {
  const { logEntries, shards, period, provider, prices, job } = query;
  const costs: CostsByModel<GatewaySums> = new Map();
  let read = 0;
  for (const shard of shards) {
    for await (const page of readLogEntryPages(logEntries, { ...shard, window: period })) {
      job.signal.throwIfAborted();
      for (const { entry } of page) {
        if (entry.provider !== provider || !reachedProvider(entry)) continue;
        for (const cost of gatewayCostsOf(entry, prices)) addModelCosts(costs, cost, addGatewaySums);
      }
      read += page.length;
      job.report(`${read} log entries read`);
    }
  }
  return costs;
}
