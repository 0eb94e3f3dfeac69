/**
 * Rebuilds the cost rollups of one organization from its log entries, while requests and readers go on.
 *
 * A new generation of rows is built beside the one that is read. Which entries it counts from where is settled by when
 * they were written: before `fromMs`, they are counted here; from then on, the stream brings them. For that,
 *
 * - the state says so some seconds before `fromMs`: an invocation of the rollup function that did not see it began
 *   earlier, so all that it has was written before `fromMs`;
 * - counting begins when every write that was begun before `fromMs` has landed: what is counted does not change any more,
 *   and can be counted in the order of ids, each row keeping the last id that it has;
 * - no price is changed meanwhile, since a change is written later than the entry.
 *
 * Whoever stops this, and wherever: each step finds in the state what is done, and rows know what they have.
 */

import { createCostRollupWriter } from '../rollups/writer.ts';
import {
  type BeginResult,
  beginRebuild,
  type RebuildRequest,
  readersMs,
  shortestMarginMs,
} from './begin-rebuild.ts';
import { copyRows } from './copy-rows.ts';
import { countEntries } from './count-entries.ts';
import { createRebuildStore, type Rebuild, type RebuildState, type RebuildStore } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

/** By then a write has landed, or its function has given it up. */
const landingMs = 60_000;

export interface RebuildResult {
  status: 'rebuilt' | Exclude<BeginResult, 'under way'>;
  /** How many entries were counted, and from when on; what is older was copied. */
  entries: number;
  countsFromMs: number;
}

/** Goes on with a rebuild that was begun until its rows are those that are read. */
export async function finishRebuild(parts: RepairParts, request: RebuildRequest): Promise<RebuildResult> {
  const store = createRebuildStore(parts.costRollups, request.organizationId);
  let last: Rebuild | null = null;
  for (;;) {
    parts.job.signal.throwIfAborted();
    const state = await store.find();
    const { rebuild, generation } = state;
    const isFinished = rebuild === null && (last === null || generation >= last.generation);
    if (isFinished) return resultOf('rebuilt', last);
    if (!rebuild?.isTimely) {
      // None any more: it was given up, since it took too long.
      const tookMs = last === null ? 0 : parts.now().getTime() - last.fromMs;
      const begun = await beginRebuild(parts, {
        ...request,
        marginMs: Math.max(shortestMarginMs, 2 * tookMs),
      });
      if (begun !== 'under way') return resultOf(begun, null);
      last = null;
      continue;
    }
    const leftMs = rebuild.fromMs + landingMs - parts.now().getTime();
    if (leftMs > 0) await parts.job.wait(leftMs, 'until what was written before has landed');
    else last = await fillAndSwitch(parts, { ...request, store, state, rebuild });
  }
}

function resultOf(status: RebuildResult['status'], rebuild: Rebuild | null): RebuildResult {
  return { status, entries: rebuild?.counted?.entries ?? 0, countsFromMs: rebuild?.countsFromMs ?? 0 };
}

interface Filling {
  organizationId: string;
  store: RebuildStore;
  state: RebuildState;
  rebuild: Rebuild;
}

/** What became of the rebuild the next state tells; here is what was known of it last. */
async function fillAndSwitch(parts: RepairParts, filling: Filling): Promise<Rebuild> {
  const { store, state, rebuild } = filling;
  const isFilled = await fill(parts, filling);
  const now = await store.find();
  if (!isFilled || now.rebuild === null) return rebuild;
  const nowMs = parts.now().getTime();
  // It took so long that entries may have expired before they were counted: from the start, with what is left.
  if (nowMs >= rebuild.countsUntilMs) await store.abandon(rebuild, nowMs + readersMs);
  else await store.finish(state, rebuild, nowMs + readersMs);
  return now.rebuild;
}

/** `false` when the rebuild is not under way any more. */
async function fill(
  parts: RepairParts,
  { organizationId, store, state, rebuild }: Filling,
): Promise<boolean> {
  // Read now, not before: no entry was written to a shard before the organization had it.
  const logShards = await parts.directory.logShardsOf(organizationId);
  const writer = createCostRollupWriter(parts.costRollups, parts.now);
  const filling = { organizationId, generation: state.generation, rebuild, logShards, writer };
  const hasCopied =
    rebuild.countsFromMs === 0 ||
    (await copyRows(parts, { ...filling, save: (progress) => store.saveCopied(rebuild, progress) }));
  if (!hasCopied) return false;
  return countEntries(parts, { ...filling, save: (progress) => store.saveCounted(rebuild, progress) });
}
