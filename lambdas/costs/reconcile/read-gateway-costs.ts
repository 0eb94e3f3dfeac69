import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { reachedProvider } from '#lambdas/request-log/entry.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type LogShard, readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { KnownPrices } from '../price-request.ts';
import { addGatewaySums, type GatewaySums, gatewayCostsOf } from './gateway-costs.ts';
import { addModelCosts, type CostsByModel } from './model-costs.ts';

export interface GatewayCostsQuery {
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
