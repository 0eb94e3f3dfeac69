/** The entries of a span that a bound of the window cuts, if all of them are still there. */
import type { CostItem } from '../shared/domain/cost-budget.ts';
import { intersect, mayHaveExpired } from '../shared/domain/cost-window.ts';
import { type CostRollup, rollupOf } from '../shared/domain/rollup.ts';
import type { TimeWindow } from '../shared/domain/time-window.ts';
import { type CostReading, eachEntry, readSums } from './cost-reading.ts';

/** What the entries in the window add, and what those add that have a value to group by. */
export interface EdgeEntries {
  totals: CostRollup[];
  groups: CostRollup[];
}

export interface Edge {
  span: TimeWindow;
  /** `null` when entries of the span have expired: what is left of them adds up to nothing true. */
  entries: EdgeEntries | null;
}

export async function readEdge(reading: CostReading, span: TimeWindow): Promise<Edge> {
  const { startMs } = reading.query.window;
  const item: CostItem = span.startMs < startMs && startMs < span.endMs ? 'start' : 'end';
  if (!mayHaveExpired(span, reading.now)) {
    const { entries } = await readEntries(reading, { span: intersect(reading.query.window, span), item });
    return { span, entries };
  }
  // In this order nothing can be counted and not be there, unless it has expired.
  const countedRequests = await countRequests(reading, { span, item });
  const { entries, requests } = await readEntries(reading, { span, item });
  return { span, entries: requests < countedRequests ? null : entries };
}

interface SpanToRead {
  span: TimeWindow;
  item: CostItem;
}

async function countRequests(reading: CostReading, { span, item }: SpanToRead): Promise<number> {
  const { smallest } = reading.plan;
  const sums = await readSums(reading, { dimension: 'model', period: smallest, window: span, item });
  return sums.reduce((count, { totals }) => count + totals.requests, 0);
}

async function readEntries(reading: CostReading, { span, item }: SpanToRead) {
  const { plan, query } = reading;
  const entries: EdgeEntries = { totals: [], groups: [] };
  let requests = 0;
  await eachEntry(reading, { window: span, item }, (entry) => {
    const total = rollupOf(entry, plan.totals);
    if (total === null) return;
    requests++;
    if (total.startMs < query.window.startMs || total.startMs >= query.window.endMs) return;
    entries.totals.push(total);
    const group = rollupOf(entry, plan.groups);
    if (group !== null) entries.groups.push(group);
  });
  return { entries, requests };
}
