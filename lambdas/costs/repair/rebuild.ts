/** Rebuilds the cost rollups of organizations, one after the other; what can be waited for together is. */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import { type BeginResult, beginRebuild } from './begin-rebuild.ts';
import { discardGenerations } from './discard-generations.ts';
import { finishRebuild, type RebuildResult } from './finish-rebuild.ts';
import { createRebuildStore, type RebuildRun } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

export interface OrganizationRebuild extends Omit<RebuildResult, 'status'> {
  organizationId: string;
  status: RebuildResult['status'] | 'rebuilt before';
}

/** Rebuilds that are begun together: while one is under way, the stream writes to two generations. */
const organizationsAtOnce = 20;
const readsAtOnce = 25;

const nothingCounted = { entries: 0, countsFromMs: 0 };

export interface RebuildRequests {
  organizationIds: readonly string[];
  /** Whether these are all that there are. */
  isOfAll: boolean;
}

/**
 * Goes on with a run that was stopped: then what that one has finished is left as it is. Former rows are deleted in the
 * end, so that until then the state of each organization tells that the run is not over.
 */
export async function rebuildRollups(
  parts: RepairParts,
  requests: RebuildRequests,
): Promise<OrganizationRebuild[]> {
  const { organizationIds } = requests;
  const { run, isFinished } = await findRun(parts, requests);
  const results: OrganizationRebuild[] = [];
  for (let from = 0; from < organizationIds.length; from += organizationsAtOnce) {
    const begun = new Map<string, BeginResult | 'rebuilt before'>();
    for (const organizationId of organizationIds.slice(from, from + organizationsAtOnce)) {
      const isBefore = isFinished(organizationId);
      begun.set(
        organizationId,
        isBefore ? 'rebuilt before' : await beginRebuild(parts, { organizationId, run }),
      );
    }
    for (const [organizationId, status] of begun) {
      const result =
        status === 'under way' ? await finishRebuild(parts, { organizationId, run }) : { status };
      results.push({ organizationId, ...nothingCounted, ...result });
    }
  }
  for (const organizationId of organizationIds) await discardGenerations(parts, organizationId);
  return results;
}

interface FoundRun {
  run: RebuildRun;
  isFinished(organizationId: string): boolean;
}

/** The run that was stopped, or a new one. A run of one organization is none that one of all could go on with. */
async function findRun(parts: RepairParts, { organizationIds, isOfAll }: RebuildRequests): Promise<FoundRun> {
  const starts: number[] = [];
  const rebuiltFrom = new Map<string, number>();
  await forEachAtOnce(organizationIds, readsAtOnce, async (organizationId) => {
    const state = await createRebuildStore(parts.costRollups, organizationId).find();
    const { rebuild, discards, fromMs } = state;
    const runs = [rebuild, ...discards].flatMap((unfinished) => unfinished?.run ?? []);
    starts.push(...runs.filter((run) => run.isOfAll === isOfAll).map(({ startedMs }) => startedMs));
    if (rebuild === null) rebuiltFrom.set(organizationId, fromMs);
  });
  const startedMs = Math.min(parts.now().getTime(), ...starts);
  const isFinished = (organizationId: string) => (rebuiltFrom.get(organizationId) ?? 0) > startedMs;
  return { run: { startedMs, isOfAll }, isFinished };
}
