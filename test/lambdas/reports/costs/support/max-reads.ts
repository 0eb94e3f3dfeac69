/**
 * Upper bounds of the reads of a query without a series, however long its window is:
 *
 * - rollup rows: (months + 60 days + 46 hours + 118 minutes) for each operation and service tier of each model and each write shard; with
 *   groups no minutes, and as many periods again for each value, tier of a model and write shard;
 * - log entries: those of the two partial minutes at the window's ends; with groups, of the two partial hours;
 * - for a partial period that ended more than an hour ago, also its rollup rows, to detect expired entries.
 */

import { type Dimension, rollupOf, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type CostParameters, createdMs } from './expected-costs.ts';

export interface MaxReads {
  rollupRows: number;
  entries: number;
  entryWindowsMs: number;
}

const partialMonths = { days: 60, hours: 46, minutes: 118 };
const maxPartialPeriods = 2;

export function maxReads(
  { entries, logShards }: { entries: LogEntry[]; logShards: number },
  parameters: CostParameters,
): MaxReads {
  const dimension = groupDimension(parameters);
  const counted = entries.filter((entry) => rollupOf(entry, 'totals') !== null);
  const periodMs = dimension === null ? 60_000 : 3_600_000;
  const months = new Set(counted.map(({ created_at }) => created_at.slice(0, 'YYYY-MM'.length))).size;
  const models = new Set(
    counted.map((entry) => {
      const { provider, operation, serviceTier, model } = rollupOf(entry, 'totals') ?? {};
      return JSON.stringify([provider, operation, serviceTier, model]);
    }),
  ).size;
  const hourlyPeriods = months + partialMonths.days + partialMonths.hours;
  const totalsPeriods =
    (dimension === null ? hourlyPeriods + partialMonths.minutes : hourlyPeriods) + maxPartialPeriods;
  const totalsRows = totalsPeriods * models * writeShardCount('totals', logShards);
  return {
    rollupRows:
      dimension === null
        ? totalsRows
        : totalsRows + hourlyPeriods * models * countGroupPartitions(counted, { dimension, logShards }),
    entries: entries.filter((entry) => isInPartialPeriod(createdMs(entry), { parameters, periodMs })).length,
    entryWindowsMs: maxPartialPeriods * periodMs,
  };
}

/** The dimension of the groups or of the filter; `null` when only totals are read. */
function groupDimension(parameters: CostParameters): Exclude<Dimension, 'model'> | null {
  if (parameters.api_key_id !== null) return 'api_key';
  const filters = ['prompt_id', 'session_id', 'user_id', 'route'] as const;
  const filtered = filters.find((field) => parameters[field] !== null);
  return filtered ?? (['api_key', ...filters] as const).find((each) => each === parameters.group_by) ?? null;
}

function countGroupPartitions(
  counted: LogEntry[],
  { dimension, logShards }: { dimension: Dimension; logShards: number },
): number {
  const values = new Set(counted.map((entry) => rollupOf(entry, dimension)?.value));
  return values.size * writeShardCount(dimension, logShards);
}

function isInPartialPeriod(
  time: number,
  { parameters, periodMs }: { parameters: CostParameters; periodMs: number },
): boolean {
  const periodOf = (at: number) => Math.floor(at / periodMs);
  return [parameters.start, parameters.end].some(
    (bound) => bound !== null && periodOf(bound) === periodOf(time),
  );
}
