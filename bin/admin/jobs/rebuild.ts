/** Rebuilds the cost rollups of organizations, one after the other; what can be waited for together is. */
import { forEachAtOnce } from '../../../lambdas/shared/domain/work-pool.ts';
import { createRebuildStore } from '../../../lambdas/shared/stores/rollup-rebuild-state.ts';
import { type BeginResult, beginRebuild } from './begin-rebuild.ts';
import { discardGenerations } from './discard-generations.ts';
import { finishRebuild, type RebuildResult } from './finish-rebuild.ts';
import type { RepairParts } from './repair-parts.ts';

export interface OrganizationRebuild extends Omit<RebuildResult, 'status'> {
  organizationId: string;
  status: RebuildResult['status'] | 'rebuilt before';
}

/** Rebuilds that are begun together: while one is under way, the stream writes to two generations. */
const organizationsAtOnce = 20;
const readsAtOnce = 25;

const nothingCounted = { entries: 0, countsFromMs: 0 };

/**
 * Goes on with a run that was stopped: then what that one has finished is left as it is. Former rows are deleted in the
 * end, so that until then the state of each organization tells that the run is not over.
 */
export async function rebuildRollups(
  parts: RepairParts,
  organizationIds: readonly string[],
): Promise<OrganizationRebuild[]> {
  const { runMs, isFinished } = await findRun(parts, organizationIds);
  const results: OrganizationRebuild[] = [];
  for (let from = 0; from < organizationIds.length; from += organizationsAtOnce) {
    const begun = new Map<string, BeginResult | 'rebuilt before'>();
    for (const organizationId of organizationIds.slice(from, from + organizationsAtOnce)) {
      const run = { organizationId, runMs };
      begun.set(
        organizationId,
        isFinished(organizationId) ? 'rebuilt before' : await beginRebuild(parts, run),
      );
    }
    for (const [organizationId, status] of begun) {
      const result =
        status === 'under way' ? await finishRebuild(parts, { organizationId, runMs }) : { status };
      results.push({ organizationId, ...nothingCounted, ...result });
    }
  }
  for (const organizationId of organizationIds) await discardGenerations(parts, organizationId);
  return results;
}

interface Run {
  runMs: number;
  isFinished(organizationId: string): boolean;
}

/** The run that was stopped, or a new one. */
async function findRun(parts: RepairParts, organizationIds: readonly string[]): Promise<Run> {
  const starts: number[] = [];
  const rebuiltFrom = new Map<string, number>();
  await forEachAtOnce(organizationIds, readsAtOnce, async (organizationId) => {
    const state = await createRebuildStore(parts.costRollups, organizationId).find();
    const { rebuild, discards, fromMs } = state;
    starts.push(...[rebuild, ...discards].flatMap((unfinished) => unfinished?.runMs ?? []));
    if (rebuild === null) rebuiltFrom.set(organizationId, fromMs);
  });
  const runMs = Math.min(parts.now().getTime(), ...starts);
  return { runMs, isFinished: (organizationId) => (rebuiltFrom.get(organizationId) ?? 0) > runMs };
}
