/** Deletes the rows of generations that nobody reads any more. */

import { allTime } from '#lambdas/platform/time-window.ts';
import { deleteRows, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { createRebuildStore, type Discard, type RebuildStore } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

/** Waits for each until its time has come. Goes on where it was stopped. */
export async function discardGenerations(parts: RepairParts, organizationId: string): Promise<void> {
  const store = createRebuildStore(parts.costRollups, organizationId);
  for (;;) {
    const discard = await nextDiscard(parts, store);
    if (discard === null) return;
    await deleteGeneration(parts, organizationId, discard);
    await store.endDiscard(discard);
  }
}

async function nextDiscard({ now, job }: RepairParts, store: RebuildStore): Promise<Discard | null> {
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
  { directory, costRollups, job }: RepairParts,
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
