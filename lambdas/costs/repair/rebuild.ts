import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { deleteRows, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { beginRebuild, finishRebuild, type NotStarted, type RebuildResult } from './rebuild-organization.ts';
import {
  findRebuildState,
  type ObsoleteGeneration,
  type OrganizationRun,
  type RebuildRun,
  removeDiscard,
} from './rebuild-state.ts';

export interface RebuiltOrganization extends Omit<RebuildResult, 'status'> {
  organizationId: string;
  status: RebuildResult['status'] | 'rebuilt before';
}

interface RebuildSelection {
  organizationIds: readonly string[];
  coversAllOrganizations: boolean;
}

interface RebuildDependencies extends RepairDependencies {
  /**
   * Called when the new rollups of an organization are active, before the former ones are deleted: at least once, even if
   * the run is interrupted and resumed.
   */
  onRebuilt?(organizationId: string): Promise<void>;
}

/** Limited, because the rollup function writes to two generations during a rebuild. */
const maxConcurrentOrganizations = 20;
const maxConcurrentReads = 25;

/**
 * Rebuilds organizations in groups that share their waiting times. Resumes an interrupted run, and skips the organizations
 * that it has finished. Obsolete generations are deleted last: until then they mark the run as unfinished in the state of
 * each organization.
 */
export async function rebuildRollups(
  dependencies: RebuildDependencies,
  selection: RebuildSelection,
): Promise<RebuiltOrganization[]> {
  const { organizationIds } = selection;
  const { run, isFinished } = await findOrStartRun(dependencies, selection);
  const results: RebuiltOrganization[] = [];
  for (let from = 0; from < organizationIds.length; from += maxConcurrentOrganizations) {
    const started = new Map<OrganizationRun, 'in progress' | 'rebuilt before' | NotStarted>();
    for (const organizationId of organizationIds.slice(from, from + maxConcurrentOrganizations)) {
      const organization = { organizationId, run };
      const status = isFinished(organizationId)
        ? 'rebuilt before'
        : await beginRebuild(dependencies, organization);
      started.set(organization, status);
    }
    for (const [organization, status] of started) {
      const result =
        status === 'in progress'
          ? await finishRebuild(dependencies, organization)
          : { status, entries: 0, countsFromMs: 0 };
      const { organizationId } = organization;
      const isRebuilt = result.status === 'rebuilt' || result.status === 'rebuilt before';
      if (isRebuilt) await dependencies.onRebuilt?.(organizationId);
      results.push({ organizationId, ...result });
    }
  }
  for (const organizationId of organizationIds) await discardGenerations(dependencies, organizationId);
  return results;
}

interface CurrentRun {
  run: RebuildRun;
  isFinished(organizationId: string): boolean;
}

/** The interrupted run, or a new one. A run for one organization cannot be resumed by a run for all, or vice versa. */
async function findOrStartRun(
  { costRollups, now }: RepairDependencies,
  { organizationIds, coversAllOrganizations }: RebuildSelection,
): Promise<CurrentRun> {
  const startTimesMs: number[] = [];
  const cutovers = new Map<string, number>();
  await forEachConcurrently(organizationIds, maxConcurrentReads, async (organizationId) => {
    const { rebuild, discards, cutoverMs } = await findRebuildState(costRollups, organizationId);
    const runs = [rebuild, ...discards].flatMap((unfinished) => unfinished?.run ?? []);
    startTimesMs.push(
      ...runs
        .filter((run) => run.coversAllOrganizations === coversAllOrganizations)
        .map(({ startedMs }) => startedMs),
    );
    if (rebuild === null) cutovers.set(organizationId, cutoverMs);
  });
  const startedMs = Math.min(now().getTime(), ...startTimesMs);
  const isFinished = (organizationId: string) => (cutovers.get(organizationId) ?? 0) > startedMs;
  return { run: { startedMs, coversAllOrganizations }, isFinished };
}

async function discardGenerations(dependencies: RepairDependencies, organizationId: string): Promise<void> {
  for (;;) {
    const discard = await waitForNextDiscard(dependencies, organizationId);
    if (discard === null) return;
    await deleteGeneration(dependencies, organizationId, discard);
    await removeDiscard(dependencies.costRollups, organizationId, discard);
  }
}

async function waitForNextDiscard(
  { costRollups, now, job }: RepairDependencies,
  organizationId: string,
): Promise<ObsoleteGeneration | null> {
  for (;;) {
    job.signal.throwIfAborted();
    const [discard] = (await findRebuildState(costRollups, organizationId)).discards;
    if (discard === undefined) return null;
    const remainingMs = discard.notBeforeMs - now().getTime();
    if (remainingMs <= 0) return discard;
    await job.wait(remainingMs, 'until the former rollups are no longer in use');
  }
}

async function deleteGeneration(
  { directory, costRollups, job }: RepairDependencies,
  organizationId: string,
  { generation }: ObsoleteGeneration,
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
