/** Begins to rebuild the cost rollups of an organization: `finish-rebuild.ts` says how that goes. */

import { findCompleteEntries } from './complete-entries.ts';
import {
  createRebuildStore,
  type RebuildRun,
  type RebuildState,
  type RebuildStore,
} from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

/** Time for the state to be written, and clocks may be apart by the other. */
const leadMs = 10_000;
const clockToleranceMs = 4000;

/** Functions that read rollups or add to them run for no longer than a minute. */
export const readersMs = 90_000;

/** Entries that expire sooner are not counted: their rows are copied. */
export const shortestMarginMs = 86_400_000;

/** Rows can be copied when the stream has nothing for them any more. It keeps for a day what the function lags behind. */
const settledMs = 25 * 3_600_000;

export type BeginResult = 'under way' | NotBegun;

type NotBegun = 'nothing to count' | 'being repriced' | 'just repriced';

export interface RebuildRequest {
  organizationId: string;
  run: RebuildRun;
  /** How long the entries have to stay that are counted. */
  marginMs?: number;
}

/** Begins a rebuild, unless one is under way: then that one goes on. */
export async function beginRebuild(parts: RepairParts, request: RebuildRequest): Promise<BeginResult> {
  const store = createRebuildStore(parts.costRollups, request.organizationId);
  for (;;) {
    parts.job.signal.throwIfAborted();
    const state = await store.find();
    const nowMs = parts.now().getTime();
    const { rebuild, isRepriced } = state;
    if (rebuild?.isTimely) return 'under way';
    if (rebuild === null) {
      if (isRepriced) return 'being repriced';
      const notBegun = await beginGeneration(parts, { request, store, state });
      if (notBegun !== null) return notBegun;
    } else if (nowMs < rebuild.fromMs - clockToleranceMs) {
      await store.confirmTimely(rebuild);
    } else {
      // Nobody can tell any more whether an invocation passed over it.
      await store.abandon(rebuild, nowMs + readersMs);
    }
  }
}

interface Beginning {
  request: RebuildRequest;
  store: RebuildStore;
  state: RebuildState;
}

/** `null` when it has begun, or another command was quicker: the state will tell. */
async function beginGeneration(
  parts: RepairParts,
  { request, store, state }: Beginning,
): Promise<NotBegun | null> {
  const { organizationId, run, marginMs = shortestMarginMs } = request;
  const logShards = await parts.directory.logShardsOf(organizationId);
  const { generation, repricedMs } = state;
  const complete = await findCompleteEntries(parts, { organizationId, generation, logShards, marginMs });
  const nowMs = parts.now().getTime();
  if (complete === null || complete.fromMs > nowMs - settledMs) return 'nothing to count';
  // What is counted has the new prices; what is copied has them when the rollups have followed.
  if (complete.fromMs > 0 && repricedMs > nowMs - settledMs) return 'just repriced';
  await store.begin(state, {
    fromMs: nowMs + leadMs,
    run,
    countsFromMs: complete.fromMs,
    countsUntilMs: complete.untilMs,
  });
  return null;
}
