/**
 * The most that an answer without a series reads, however long its window is:
 *
 * - sums: (months + 60 days + 46 hours + 118 minutes) for each model of each provider, and each write shard of the log shards;
 *   with groups no minutes, and as many spans once more for each value, model and write shard;
 * - entries: those of the two minutes that the bounds cut, with groups those of the two hours;
 * - of a cut span that ended more than an hour ago also its sums, which tell whether its entries are all there.
 */

import { type Dimension, rollupOf, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type AskedCosts, isCounted, timeOf } from './summed-costs.ts';

export interface ReadingBound {
  sums: number;
  entries: number;
  entriesMs: number;
}

const edges = { days: 60, hours: 46, minutes: 118 };
const cutSpans = 2;

export function readingBound(
  { entries, logShards }: { entries: LogEntry[]; logShards: number },
  asked: AskedCosts,
): ReadingBound {
  const counted = entries.filter(isCounted);
  const dimension = dimensionOf(asked);
  const cutMs = dimension === null ? 60_000 : 3_600_000;
  const months = new Set(counted.map(({ created_at }) => created_at.slice(0, 'YYYY-MM'.length))).size;
  const models = new Set(counted.map(({ provider, model }) => `${provider}/${model}`)).size;
  const hourSpans = months + edges.days + edges.hours;
  const totalSpans = (dimension === null ? hourSpans + edges.minutes : hourSpans) + cutSpans;
  const totals = totalSpans * models * writeShardCount('model', logShards);
  return {
    sums:
      dimension === null
        ? totals
        : totals + hourSpans * models * groupRows(counted, { dimension, logShards }),
    entries: entries.filter((entry) => isCut(timeOf(entry), { asked, cutMs })).length,
    entriesMs: cutSpans * cutMs,
  };
}

/** What the groups are read from; `null` where the totals tell them. */
function dimensionOf({ group_by }: AskedCosts): Exclude<Dimension, 'model'> | null {
  const dimensions = ['api_key', 'prompt_id', 'session_id', 'user_id'] as const;
  return dimensions.find((dimension) => dimension === group_by) ?? null;
}

function groupRows(
  counted: LogEntry[],
  { dimension, logShards }: { dimension: Dimension; logShards: number },
): number {
  const values = new Set(counted.map((entry) => rollupOf(entry, dimension)?.value));
  return values.size * writeShardCount(dimension, logShards);
}

function isCut(time: number, { asked, cutMs }: { asked: AskedCosts; cutMs: number }): boolean {
  const spanOf = (at: number) => Math.floor(at / cutMs);
  return [asked.start, asked.end].some((bound) => bound !== null && spanOf(bound) === spanOf(time));
}
