/**
 * Rebuilds the cost rollups of one organization from its log entries, while requests and readers go on.
 *
 * A new generation of rows is built beside the one that is read. Whether an entry is counted here or comes from the
 * stream depends on when it was written: before `fromMs`, it is counted here; from then on, the stream brings it. So
 *
 * - the state names `fromMs` some seconds in advance: an invocation of the rollup function that did not see it began
 *   earlier, so everything it has was written before `fromMs`;
 * - counting begins when every write that began before `fromMs` has landed: what is counted does not change any more, and
 *   can be counted in the order of ids, each row keeping the last id that it has;
 * - no price is changed meanwhile, since a change is written later than the entry.
 *
 * It can be stopped anywhere by anybody: each step finds in the state what is done, and rows know what they have.
 */

import { streamRetentionMs } from '../rollups/watermark.ts';
import { findCompleteEntries, type RepairDependencies } from './complete-entries.ts';
import { fillGeneration } from './fill-generation.ts';
import type { OrganizationRun, Rebuild, RebuildState, StateWithRebuild } from './rebuild-state.ts';

/** Time for the state to be written, and the difference between the clocks of two machines. */
const leadMs = 10_000;
const clockToleranceMs = 4000;

/** After this, a write has landed, or its function has given it up. */
const inFlightGraceMs = 60_000;

/** Functions that read rollups or add to them run for no longer than a minute. */
const readersMs = 90_000;

/** Entries that expire sooner are not counted: their rows are copied. */
const minMarginMs = 86_400_000;

/** Rows can be copied once the stream brings nothing more for them. The hour more is for the batch in progress. */
const settledMs = streamRetentionMs + 3_600_000;

export type NotStarted = 'nothing to count' | 'being repriced' | 'just repriced';

/** Begins a rebuild; one that is in progress continues. */
export async function beginRebuild(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
  /** How long the entries that are counted have to stay. */
  marginMs = minMarginMs,
): Promise<'in progress' | NotStarted> {
  const { now, job } = dependencies;
  const { store } = organization;
  for (;;) {
    job.signal.throwIfAborted();
    const state = await store.find();
    const nowMs = now().getTime();
    const { rebuild, isRepriced } = state;
    if (rebuild?.cutoverConfirmed) return 'in progress';
    if (rebuild === null) {
      if (isRepriced) return 'being repriced';
      const notBegun = await beginGeneration(dependencies, organization, state, marginMs);
      if (notBegun !== null) return notBegun;
    } else if (nowMs < rebuild.fromMs - clockToleranceMs) {
      await store.confirmCutover(rebuild);
    } else {
      // An invocation may have begun after `fromMs` without having seen it.
      await store.abandon(rebuild, nowMs + readersMs);
    }
  }
}

/** `null` when it has begun, or another command was faster: the state will tell. */
async function beginGeneration(
  dependencies: RepairDependencies,
  { organizationId, run, store }: OrganizationRun,
  state: RebuildState,
  marginMs: number,
): Promise<NotStarted | null> {
  const { generation, repricedMs } = state;
  const logShards = await dependencies.directory.logShardsOf(organizationId);
  const complete = await findCompleteEntries(
    dependencies,
    { organizationId, generation, logShards },
    marginMs,
  );
  const nowMs = dependencies.now().getTime();
  if (complete === null || complete.fromMs > nowMs - settledMs) return 'nothing to count';
  // Entries have the new prices already; rows to be copied have them once the rollup function has followed.
  if (complete.fromMs > 0 && repricedMs > nowMs - settledMs) return 'just repriced';
  await store.begin(state, {
    fromMs: nowMs + leadMs,
    run,
    countsFromMs: complete.fromMs,
    countsUntilMs: complete.untilMs,
  });
  return null;
}

export interface RebuildResult {
  status: 'rebuilt' | NotStarted;
  /** How many entries were counted, and from when on; what is older was copied. */
  entries: number;
  countsFromMs: number;
}

/** Continues a rebuild that has begun until its rows are the ones that are read. */
export async function finishRebuild(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
): Promise<RebuildResult> {
  const { now, job } = dependencies;
  const { store } = organization;
  let last: Rebuild | null = null;
  for (;;) {
    job.signal.throwIfAborted();
    const state = await store.find();
    const { rebuild, generation } = state;
    if (rebuild === null && (last === null || generation >= last.generation))
      return resultOf('rebuilt', last);
    if (!rebuild?.cutoverConfirmed) {
      // It was abandoned, since it took too long.
      const tookMs = last === null ? 0 : now().getTime() - last.fromMs;
      const begun = await beginRebuild(dependencies, organization, Math.max(minMarginMs, 2 * tookMs));
      if (begun !== 'in progress') return resultOf(begun, null);
      last = null;
      continue;
    }
    const leftMs = rebuild.fromMs + inFlightGraceMs - now().getTime();
    if (leftMs > 0) await job.wait(leftMs, 'until what was written before has landed');
    else last = await fillAndSwitch(dependencies, organization, { ...state, rebuild });
  }
}

function resultOf(status: RebuildResult['status'], rebuild: Rebuild | null): RebuildResult {
  return { status, entries: rebuild?.counted?.entries ?? 0, countsFromMs: rebuild?.countsFromMs ?? 0 };
}

/** Resolves to the last that is known of the rebuild; the next state tells whether it was finished. */
async function fillAndSwitch(
  dependencies: RepairDependencies,
  organization: OrganizationRun,
  state: StateWithRebuild,
): Promise<Rebuild> {
  const { store } = organization;
  const { rebuild } = state;
  const isFilled = await fillGeneration(dependencies, organization, state);
  const current = await store.find();
  if (!isFilled || current.rebuild === null) return rebuild;
  const nowMs = dependencies.now().getTime();
  // Entries may have expired before they were counted: start again with those that are left.
  if (nowMs >= rebuild.countsUntilMs) await store.abandon(rebuild, nowMs + readersMs);
  else await store.finish(state, rebuild, nowMs + readersMs);
  return current.rebuild;
}
