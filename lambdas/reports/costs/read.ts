/** Reads the costs of a query: rollup rows of whole periods, and log entries of partial periods. */

import { findCompleteUntil } from '#lambdas/costs/completeness.ts';
import { type CostRollup, type Dimension, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { cautiousRepriceDelayMs, mayHaveUncountedReprice } from '#lambdas/costs/rollups/state.ts';
import { findWindow } from '#lambdas/platform/time-window.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import type { ReportDependencies } from '../dependencies.ts';
import { matchesModel } from '../model-filter.ts';
import { findPartialPeriods, planReads, type ReadPlan, type RowRead } from './plan.ts';
import type { CostQuery } from './query.ts';
import { readPartialPeriods } from './read-entries.ts';
import { createReadLimit, type ReadLimit } from './read-limit.ts';
import { type ElementRow, findSpan, type ReadContext, readElementRows } from './read-rows.ts';
import type { ComparedRange } from './window.ts';

export interface CostDependencies extends ReportDependencies, Pick<ReadContext, 'readEntries'> {
  logShardsOf(organizationId: string): Promise<number>;
}

/**
 * The rows in the window that match the query: rollup rows, and entries of partial periods as rows. `totalRows` count every
 * request once, `groupRows` every request that has a value to group by.
 */
export interface CostRows extends Pick<ReadPlan, 'window' | 'roundedTo' | 'elements'> {
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
  const { rollupReader, readEntries } = dependencies;
  const { logShards, generation, now, completeUntilMs, mayBeRepriced } = await readCountingState(
    dependencies,
    organizationId,
  );
  const countedUntilMs = mayBeRepriced ? 0 : completeUntilMs;
  const source = { rollupReader, readEntries, organizationId, generation, logShards };
  const readFor = (each: CostQuery, readLimit: ReadLimit) =>
    readQueryRows({ ...source, query: each, readLimit }, { now, countedUntilMs });
  const costs = await readFor(query, createReadLimit(query));
  const previousQuery = query.previous && comparisonQuery(query, query.previous);
  const previous =
    previousQuery &&
    (await readFor(previousQuery, createReadLimit(previousQuery, query.previous?.parameter)));
  return { ...costs, previous, completeUntilMs };
}

interface CountingState {
  logShards: number;
  generation: number;
  /** When it was read. */
  now: Date;
  /** In milliseconds since 1970. */
  completeUntilMs: number;
  /** Whether changes of older entries may not have been counted. */
  mayBeRepriced: boolean;
}

/** Call it before any row is read: the rows then include at least the entries that were counted by `completeUntilMs`. */
export async function readCountingState(
  dependencies: Omit<CostDependencies, 'readEntries' | 'rollupReader'>,
  organizationId: string,
): Promise<CountingState> {
  const [logShards, state] = await Promise.all([
    dependencies.logShardsOf(organizationId),
    dependencies.findRollupState(organizationId),
  ]);
  const now = dependencies.now();
  return {
    logShards,
    generation: state.generation,
    now,
    completeUntilMs: await findCompleteUntil(dependencies, state, shardsOf(organizationId, logShards)),
    mayBeRepriced: mayHaveUncountedReprice(state, now, cautiousRepriceDelayMs),
  };
}

/** The query for another window, without a series. */
function comparisonQuery(query: CostQuery, { startMs, endMs, days }: ComparedRange): CostQuery {
  const { dimensions, valueFilter } = query;
  // The rows of all keys are fewer than those by key, of which there would be some for each day.
  const totals = valueFilter === null ? totalsDimension : dimensions.totals;
  return {
    ...query,
    window: { startMs, endMs },
    dimensions: { ...dimensions, totals },
    series: null,
    days,
    previous: null,
    windowInResponse: { ...query.windowInResponse, presentMs: null },
  };
}

async function readQueryRows(
  context: ReadContext,
  { now, countedUntilMs }: { now: Date; countedUntilMs: number },
): Promise<CostRows> {
  const { query } = context;
  const { dimensions } = query;
  const partialPeriods = findPartialPeriods(query.window, dimensions.finestPeriod, now);
  const { expired, ...entries } = await readPartialPeriods(context, partialPeriods);
  const plan = planReads(query, { expired, span: await findSpan(context), countedUntilMs });
  const { window, roundedTo, elements } = plan;
  const indexed = elements.map((element, index) => ({ window: element, index }));
  const toElementRow = (row: CostRollup): ElementRow => {
    const element = findWindow(indexed, row.startMs);
    // The elements divide the whole window, and the entries are those inside it.
    if (element === undefined) throw new Error('An entry is outside of the window of its query');
    return { ...row, element: element.index };
  };
  const readDimension = async (dimension: Dimension, reads: RowRead[], entryRows: CostRollup[]) => {
    const rows = await readElementRows(context, dimension, reads);
    for (const row of entryRows) rows.push(toElementRow(row));
    return rows.filter((row) => matches(query, row));
  };
  // Totals are written before groups and read after them, so groups never add up to more than the totals.
  const groupRows = await readDimension(dimensions.groups, plan.groupReads, entries.groupRows);
  const totalRows =
    dimensions.totals === dimensions.groups
      ? groupRows
      : await readDimension(dimensions.totals, plan.totalReads, entries.totalRows);
  return { window, roundedTo, elements, totalRows, groupRows };
}

function matches({ filters, serviceTier, operation }: CostQuery, row: CostRollup): boolean {
  return (
    matchesModel(filters, row) &&
    (serviceTier === null || row.serviceTier === serviceTier) &&
    (operation === null || row.operation === operation)
  );
}
