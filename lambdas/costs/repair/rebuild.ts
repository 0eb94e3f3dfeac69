/** Rebuilds the cost rollups of organizations one after the other, sharing the times of waiting. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { deleteRows, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { beginRebuild, finishRebuild, type NotStarted, type RebuildResult } from './rebuild-organization.ts';
import {
  createRebuildStore,
  type Discard,
  type OrganizationRun,
  type RebuildRun,
  type RebuildStore,
} from './rebuild-state.ts';

export interface RebuiltOrganization extends Omit<RebuildResult, 'status'> {
  organizationId: string;
  status: RebuildResult['status'] | 'rebuilt before';
}

/** The organizations to rebuild. */
export interface RebuildSelection {
  organizationIds: readonly string[];
  /** Whether these are all organizations. */
  isOfAll: boolean;
}

/** How many are rebuilt together: while a rebuild is in progress, the stream writes to two generations. */
const organizationsAtOnce = 20;
const readsAtOnce = 25;

/**
 * Continues a run that was stopped, leaving alone what that one has finished. Former rows are deleted in the end, so that
 * until then the state of each organization tells that the run is not over.
 */
export async function rebuildRollups(
  dependencies: RepairDependencies,
  selection: RebuildSelection,
): Promise<RebuiltOrganization[]> {
  const { organizationIds } = selection;
  const { run, isFinished } = await findRun(dependencies, selection);
  const results: RebuiltOrganization[] = [];
  for (let from = 0; from < organizationIds.length; from += organizationsAtOnce) {
    const begun = new Map<OrganizationRun, 'in progress' | 'rebuilt before' | NotStarted>();
    for (const organizationId of organizationIds.slice(from, from + organizationsAtOnce)) {
      const store = createRebuildStore(dependencies.costRollups, organizationId);
      const organization = { organizationId, run, store };
      const status = isFinished(organizationId)
        ? 'rebuilt before'
        : await beginRebuild(dependencies, organization);
      begun.set(organization, status);
    }
    for (const [organization, status] of begun) {
      const result =
        status === 'in progress'
          ? await finishRebuild(dependencies, organization)
          : { status, entries: 0, countsFromMs: 0 };
      results.push({ organizationId: organization.organizationId, ...result });
    }
  }
  for (const organizationId of organizationIds) await discardGenerations(dependencies, organizationId);
  return results;
}

interface FoundRun {
  run: RebuildRun;
  isFinished(organizationId: string): boolean;
}

/** The run that was stopped, or a new one. A run of one organization cannot be continued by one of all, or vice versa. */
async function findRun(
  { costRollups, now }: RepairDependencies,
  { organizationIds, isOfAll }: RebuildSelection,
): Promise<FoundRun> {
  const starts: number[] = [];
  const rebuiltFrom = new Map<string, number>();
  await forEachConcurrently(organizationIds, readsAtOnce, async (organizationId) => {
    const { rebuild, discards, fromMs } = await createRebuildStore(costRollups, organizationId).find();
    const runs = [rebuild, ...discards].flatMap((unfinished) => unfinished?.run ?? []);
    starts.push(...runs.filter((run) => run.isOfAll === isOfAll).map(({ startedMs }) => startedMs));
    if (rebuild === null) rebuiltFrom.set(organizationId, fromMs);
  });
  const startedMs = Math.min(now().getTime(), ...starts);
  const isFinished = (organizationId: string) => (rebuiltFrom.get(organizationId) ?? 0) > startedMs;
  return { run: { startedMs, isOfAll }, isFinished };
}

/** Deletes the rows of generations that nobody reads any more, waiting until then. Continues where it was stopped. */
async function discardGenerations(dependencies: RepairDependencies, organizationId: string): Promise<void> {
  const store = createRebuildStore(dependencies.costRollups, organizationId);
  for (;;) {
    const discard = await nextDiscard(dependencies, store);
    if (discard === null) return;
    await deleteGeneration(dependencies, organizationId, discard);
    await store.endDiscard(discard);
  }
}

async function nextDiscard({ now, job }: RepairDependencies, store: RebuildStore): Promise<Discard | null> {
  for (;;) {
    job.signal.throwIfAborted();
    const [discard] = (await store.find()).discards;
    if (discard === undefined) return null;
    const leftMs = discard.notBeforeMs - now().getTime();
    if (leftMs <= 0) return discard;
    await job.wait(leftMs, 'until nobody reads the former rollups any more');
  }
}

async function deleteGeneration(
  { directory, costRollups, job }: RepairDependencies,
  organizationId: string,
  { generation }: Discard,
): Promise<void> {
  const logShards = await directory.logShardsOf(organizationId);
  let deleted = 0;
  for (const partition of rollupPartitions({ organizationId, generation, logShards })) {
    for await (const rows of readRowPages(costRollups, partition, { window: allTime })) {
      await deleteRows(costRollups, rows);
      deleted += rows.length;
      job.report(`${organizationId}: ${deleted} rows of the former rollups deleted`);
      job.signal.throwIfAborted();
    }
  }
}
