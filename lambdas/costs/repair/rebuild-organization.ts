/**
 * Rebuilds the cost rollups of one organization from its log entries, without interrupting requests or reports.
 *
 * A new generation is built next to the active one. Entries written before the cutover (`cutoverMs`) are backfilled from the
 * log table; entries written from then on come from the stream. Therefore
 *
 * - the state has the cutover some seconds in advance: an invocation of the rollup function that did not see it began
 *   earlier, so all of its records were written before the cutover;
 * - the backfill begins when every write from before the cutover has completed: the set of entries is then final and can be
 *   counted in the order of ids, with the last id as the watermark of each row;
 * - no prices are changed during a rebuild, since a price change gives an entry a later write time.
 *
 * A rebuild can be interrupted at any time: the state and the watermarks determine what remains to be done.
 */

import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { streamRetentionMs } from '#lambdas/platform/dynamodb/watermark.ts';
import { isScheduledInTime, scheduledStartMs } from '../scheduled-start.ts';
import { findCompleteEntries, type RepairDependencies } from './complete-entries.ts';
import { fillGeneration } from './fill-generation.ts';
import {
  abandonRebuild,
  activateRebuild,
  confirmCutover,
  findRebuildState,
  type OrganizationRun,
  type Rebuild,
  type RebuildState,
  type StateWithRebuild,
  scheduleRebuild,
} from './rebuild-state.ts';

/** After this time, a write has completed or its function has given up. */
const inFlightGraceMs = minuteMs;

/** Functions that read or write rollups run for at most a minute. */
const readerDrainMs = 90_000;

/** For entries that expire sooner, rows are copied instead. */
const minMarginMs = dayMs;

/** Rows can be copied when the stream has no more records for them. The additional hour is for a batch in progress. */
const streamDrainMs = streamRetentionMs + hourMs;

export type NotStarted = 'nothing to count' | 'being repriced' | 'just repriced';

export async function beginRebuild(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
  /** The minimum time until the counted entries expire. */
  marginMs = minMarginMs,
): Promise<'in progress' | NotStarted> {
  const { costRollups, now, job } = dependencies;
  const { organizationId } = organization;
  for (;;) {
    job.signal.throwIfAborted();
    const state = await findRebuildState(costRollups, organizationId);
    const at = now();
    const { rebuild, isBeingRepriced } = state;
    if (rebuild?.cutoverConfirmed) return 'in progress';
    if (rebuild === null) {
      if (isBeingRepriced) return 'being repriced';
      const notStarted = await tryBegin(dependencies, organization, state, marginMs);
      if (notStarted !== null) return notStarted;
    } else if (isScheduledInTime(rebuild.cutoverMs, at)) {
      await confirmCutover(costRollups, organizationId, rebuild);
    } else {
      await abandonRebuild(costRollups, organizationId, rebuild, at.getTime() + readerDrainMs);
    }
  }
}

/** `null` when this or a concurrent command has begun a rebuild: the caller reads the state again. */
async function tryBegin(
  dependencies: RepairDependencies,
  { organizationId, run }: OrganizationRun,
  state: RebuildState,
  marginMs: number,
): Promise<NotStarted | null> {
  const { generation, lastRepricedMs } = state;
  const logShards = await dependencies.directory.logShardsOf(organizationId);
  const completeEntries = await findCompleteEntries(
    dependencies,
    { organizationId, generation, logShards },
    marginMs,
  );
  const at = dependencies.now();
  const nowMs = at.getTime();
  if (completeEntries === null || completeEntries.fromMs > nowMs - streamDrainMs) return 'nothing to count';
  // Entries already have the new prices, but rows to be copied may not include them yet.
  if (completeEntries.fromMs > 0 && lastRepricedMs > nowMs - streamDrainMs) return 'just repriced';
  await scheduleRebuild(dependencies.costRollups, organizationId, state, {
    cutoverMs: scheduledStartMs(at),
    run,
    countsFromMs: completeEntries.fromMs,
    countsUntilMs: completeEntries.expiresAtMs,
  });
  return null;
}

export interface RebuildResult {
  status: 'rebuilt' | NotStarted;
  entries: number;
  countsFromMs: number;
}

export async function finishRebuild(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
): Promise<RebuildResult> {
  const { costRollups, now, job } = dependencies;
  const { organizationId } = organization;
  let last: Rebuild | null = null;
  for (;;) {
    job.signal.throwIfAborted();
    const state = await findRebuildState(costRollups, organizationId);
    const { rebuild, generation } = state;
    if (rebuild === null && (last === null || generation >= last.generation))
      return toResult('rebuilt', last);
    if (!rebuild?.cutoverConfirmed) {
      // The rebuild was abandoned because it took too long: begin another with a larger margin.
      const tookMs = last === null ? 0 : now().getTime() - last.cutoverMs;
      const status = await beginRebuild(dependencies, organization, Math.max(minMarginMs, 2 * tookMs));
      if (status !== 'in progress') return toResult(status, null);
      last = null;
      continue;
    }
    const remainingMs = rebuild.cutoverMs + inFlightGraceMs - now().getTime();
    if (remainingMs > 0) await job.wait(remainingMs, 'until all earlier writes have completed');
    else last = await fillAndCutOver(dependencies, organization, { ...state, rebuild });
  }
}

function toResult(status: RebuildResult['status'], rebuild: Rebuild | null): RebuildResult {
  return { status, entries: rebuild?.counted?.entries ?? 0, countsFromMs: rebuild?.countsFromMs ?? 0 };
}

/** The caller reads the state again to find out whether the rebuild has finished. */
async function fillAndCutOver(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
  state: StateWithRebuild,
): Promise<Rebuild> {
  const { costRollups } = dependencies;
  const { organizationId } = organization;
  const { rebuild } = state;
  const isFilled = await fillGeneration(dependencies, organization, state);
  const current = await findRebuildState(costRollups, organizationId);
  if (!isFilled || current.rebuild === null) return rebuild;
  const nowMs = dependencies.now().getTime();
  // Entries may have expired before they were counted: start again with the remaining ones.
  if (nowMs >= rebuild.countsUntilMs)
    await abandonRebuild(costRollups, organizationId, rebuild, nowMs + readerDrainMs);
  else await activateRebuild(costRollups, organizationId, state, nowMs + readerDrainMs);
  return current.rebuild;
}
