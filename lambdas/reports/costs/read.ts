/** Reads the costs of a query: rollup rows of whole periods, and log entries of partial periods. */

import { findCompleteUntil } from '#lambdas/costs/completeness.ts';
import type { CostRollup, Dimension } from '#lambdas/costs/rollups/rollup.ts';
import { cautiousRepriceDelayMs, mayHaveUncountedReprice } from '#lambdas/costs/rollups/state.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import type { ReportDependencies } from '../dependencies.ts';
import { matchesModel } from '../model-filter.ts';
import { dimensionsOf, type FinestPeriod } from './dimensions.ts';
import { elementsOf, findPartialPeriods, roundDown } from './plan.ts';
import type { CostQuery } from './query.ts';
import { type EntryContext, type PartialPeriodRows, readPartialPeriod } from './read-entries.ts';
import { createReadLimit } from './read-limit.ts';
import { type ElementRow, findWindow, readElementRows } from './read-rows.ts';

export interface CostDependencies extends ReportDependencies, Pick<EntryContext, 'readEntries'> {
  logShardsOf(organizationId: string): Promise<number>;
}

/**
 * The rows in the window that match the query: rollup rows, and entries of partial periods as rows. `totalRows` count every
 * request once, `groupRows` every request that has a value to group by.
 */
export interface CostRows {
  /** The requested window, rounded where the exact sums are no longer available. */
  window: TimeWindow;
  roundedTo: FinestPeriod | null;
  /** The elements of the series, or the window itself. */
  elements: TimeWindow[];
  totalRows: ElementRow[];
  groupRows: ElementRow[];
}

export interface Costs extends CostRows {
  /** The rows of the range to compare with; `null` without a comparison. */
  previous: CostRows | null;
  /** In milliseconds since 1970. */
  completeUntilMs: number;
}

export async function readCosts(
  dependencies: CostDependencies,
  organizationId: string,
  query: CostQuery,
): Promise<Costs> {
  const [logShards, state] = await Promise.all([
    dependencies.logShardsOf(organizationId),
    dependencies.findRollupState(organizationId),
  ]);
  const { generation } = state;
  const { rollupReader, readEntries } = dependencies;
  const now = dependencies.now();
  // Before any row is read: the rows then include at least the entries that were counted by this time.
  const shards = shardsOf(organizationId, logShards);
  const completeUntilMs = await findCompleteUntil(dependencies, state, shards);
  const mayBeRepriced = mayHaveUncountedReprice(state, now, cautiousRepriceDelayMs);
  const finalUntilMs = mayBeRepriced ? 0 : completeUntilMs;
  const read = (each: CostQuery, isPrevious: boolean) =>
    readCostRows({
      rollupReader,
      readEntries,
      organizationId,
      generation,
      logShards,
      now,
      finalUntilMs,
      query: each,
      readLimit: createReadLimit(each, isPrevious),
    });
  const costs = await read(query, false);
  const previous = query.previous && (await read(toTotalsQuery(query, query.previous), true));
  return { ...costs, previous, completeUntilMs };
}

/** The query for the totals of another window. Only rows by error code include rejected requests. */
function toTotalsQuery(query: CostQuery, window: TimeWindow): CostQuery {
  const { dimensions, valueFilter } = query;
  const groupBy = dimensions.groups === 'error_code' && valueFilter === null ? 'error_code' : null;
  return {
    ...query,
    window,
    groupBy,
    // With the same periods as the window, so that both are rounded alike.
    dimensions: { ...dimensionsOf(groupBy, valueFilter), finestPeriod: dimensions.finestPeriod },
    series: null,
    previous: null,
    reportedWindow: { ...query.reportedWindow, presentMs: null },
  };
}

async function readCostRows(context: EntryContext): Promise<CostRows> {
  const { query, now } = context;
  const { dimensions, filters, serviceTier, operation } = query;
  const partialPeriods = await Promise.all(
    findPartialPeriods(query.window, dimensions.finestPeriod, now).map(async (partialPeriod) => ({
      fullPeriod: partialPeriod.fullPeriod,
      rows: await readPartialPeriod(context, partialPeriod),
    })),
  );
  const expired = partialPeriods.filter(({ rows }) => rows === null).map(({ fullPeriod }) => fullPeriod);
  const window = roundDown(query.window, expired);
  const elements = elementsOf(window, query.series);
  const indexed = elements.map((element, index) => ({ window: element, index }));
  const matches = (cost: CostRollup) =>
    matchesModel(filters, cost) &&
    (serviceTier === null || cost.serviceTier === serviceTier) &&
    (operation === null || cost.operation === operation);
  const rowsOf = async (dimension: Dimension, rowsKey: keyof PartialPeriodRows): Promise<ElementRow[]> => {
    const entryRows = partialPeriods.flatMap(({ rows }) => rows?.[rowsKey] ?? []);
    return [
      ...(await readElementRows(context, dimension, elements)),
      ...entryRows.map((row) => ({ ...row, element: findWindow(indexed, row.startMs)?.index ?? 0 })),
    ].filter(matches);
  };
  // Totals are written before groups and read after them, so groups never add up to more than the totals.
  const groupRows = await rowsOf(dimensions.groups, 'groupRows');
  const totalRows =
    dimensions.totals === dimensions.groups ? groupRows : await rowsOf(dimensions.totals, 'totalRows');
  const roundedTo = expired.length > 0 ? dimensions.finestPeriod : query.reportedWindow.roundedTo;
  return { window, roundedTo, elements, totalRows, groupRows };
}
