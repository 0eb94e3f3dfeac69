/** `GET /api/costs`: what an organization's requests cost, by model. */
import { type CostSummary, summarizeCosts } from '../shared/domain/cost-summary.ts';
import type { LogEntry } from '../shared/domain/log-entry.ts';
import { readQueryParameters } from '../shared/domain/query-parameters.ts';
import {
  type CostRollup,
  type CostRollupReader,
  contributionOf,
  cutWindow,
  type Totals,
  type WindowPart,
} from '../shared/domain/rollup.ts';
import { parseTimeWindow, type TimeWindow } from '../shared/domain/time-window.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { usdJson } from '../shared/http/usd-json.ts';

export interface CostSources {
  rollups: CostRollupReader;
  readLogEntries(range: { organizationId: string; window: TimeWindow }): AsyncIterable<LogEntry>;
}

export function createCostsEndpoint(sources: CostSources): JsonEndpoint {
  return async ({ organizationId, query }) => {
    const window = parseTimeWindow(readQueryParameters(query, ['start', 'end']));
    const parts = await Promise.all(
      cutWindow(window).map((part) => Array.fromAsync(readPart(sources, organizationId, part))),
    );
    return summaryJson(summarizeCosts(parts.flat()));
  };
}

function summaryJson({ total_requests, total_cost_usd, by_model, ...totals }: CostSummary) {
  return {
    total_requests,
    total_cost_usd: usdJson(total_cost_usd),
    ...totals,
    by_model: Object.fromEntries(Object.entries(by_model).map(([model, sums]) => [model, modelJson(sums)])),
  };
}

function modelJson({ requests, cost_usd, ...totals }: Totals) {
  return { requests, cost_usd: usdJson(cost_usd), ...totals };
}

async function* readPart(
  { rollups, readLogEntries }: CostSources,
  organizationId: string,
  { source, ...window }: WindowPart,
): AsyncGenerator<Pick<CostRollup, 'model' | 'totals'>> {
  if (source !== 'entries') {
    yield* rollups.read(organizationId, source, window);
    return;
  }
  for await (const entry of readLogEntries({ organizationId, window })) {
    const contribution = contributionOf(entry);
    if (contribution !== null && entry.model !== null)
      yield { model: entry.model, totals: contribution.totals };
  }
}
