/** Reads what was counted in a window: sums for its whole spans, and the entries of the two that its bounds cut. */
import type { CostBudget } from '../shared/domain/cost-budget.ts';
import { planCosts } from '../shared/domain/cost-plan.ts';
import type { CostQuery } from '../shared/domain/cost-query.ts';
import type { CountedCosts } from '../shared/domain/cost-summary.ts';
import { cutSpans, roundDown } from '../shared/domain/cost-window.ts';
import { matchesModel } from '../shared/domain/model-filter.ts';
import { cutWindow } from '../shared/domain/period.ts';
import type { CostRollup, Dimension } from '../shared/domain/rollup.ts';
import type { TimeWindow } from '../shared/domain/time-window.ts';
import { type CostReading, type CostSources, readSums } from './cost-reading.ts';
import { readEdge } from './read-edge.ts';

export interface CostQuestion {
  organizationId: string;
  query: CostQuery;
  budget: CostBudget;
}

export async function readCosts(sources: CostSources, question: CostQuestion): Promise<CountedCosts> {
  const { organizationId, query } = question;
  const [logShards, { generation }] = await Promise.all([
    sources.logShardsOf(organizationId),
    sources.findRollupState(organizationId),
  ]);
  const plan = planCosts(query);
  const reading: CostReading = { ...question, sources, plan, logShards, generation, now: sources.now() };
  const spans = cutSpans(query.window, plan.smallest);
  const edges = await Promise.all(spans.map((span) => readEdge(reading, span)));

  const gone = edges.filter(({ entries }) => entries === null).map(({ span }) => span);
  const window = roundDown(query.window, gone);
  const edgeEntries = (kind: 'totals' | 'groups') => edges.flatMap(({ entries }) => entries?.[kind] ?? []);
  const matching = (costs: CostRollup[]) => costs.filter((cost) => matchesModel(query.filters, cost));

  // What is counted is added to the totals first, and read there last: the groups never add up to more than the totals.
  const groups = [...(await readWholeSpans(reading, plan.groups, window)), ...edgeEntries('groups')];
  const totals =
    plan.totals === plan.groups
      ? groups
      : [...(await readWholeSpans(reading, plan.totals, window)), ...edgeEntries('totals')];
  return {
    window,
    roundedTo: gone.length > 0 ? plan.smallest : null,
    totals: matching(totals),
    groups: matching(groups),
  };
}

async function readWholeSpans(
  reading: CostReading,
  dimension: Dimension,
  window: TimeWindow,
): Promise<CostRollup[]> {
  const { largest, smallest } = reading.plan;
  const parts = cutWindow(window, largest, smallest).map(async ({ source, ...part }) =>
    source === 'entries' ? [] : readSums(reading, { dimension, period: source, window: part, item: 'sum' }),
  );
  return (await Promise.all(parts)).flat();
}
