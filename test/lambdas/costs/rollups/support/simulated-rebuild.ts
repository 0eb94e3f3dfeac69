/**
 * Simulates a rebuild of an organization's rollups in steps that can be interrupted: like the admin command, but without
 * waiting and without reading the log table.
 */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { toRowUpdates } from '#lambdas/costs/rollups/row-updates.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { type InterruptibleRun, startRun } from './interruptible-run.ts';
import type { Organization, RollupFixture } from './rollup-fixture.ts';

export interface Rebuild {
  cutoverMs: number;
  /** The number of added entries of each log shard, in the order of ids. */
  addedByShard: Map<number, number>;
  run: InterruptibleRun | null;
  /** The new item of `addedByShard` when the current run succeeds. */
  inProgress: [logShard: number, upTo: number] | null;
}

/** Performs the next step: begins the rebuild, adds some entries of a shard, or cuts over to the new generation. */
export async function continueRebuild(fixture: RollupFixture, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return beginRebuild(fixture, organization);
  // By then, all earlier writes have completed.
  if (!isIdle(rebuild) || fixture.nowMs < rebuild.cutoverMs) return;
  if (!(await addEntries(fixture, organization, rebuild))) await cutOver(fixture, organization);
}

/** Completes the backfill without cutting over: both generations must then be correct. */
export async function completeRebuild(fixture: RollupFixture, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return;
  fixture.nowMs = Math.max(fixture.nowMs, rebuild.cutoverMs);
  do await rebuild.run?.finish();
  while (isIdle(rebuild) && (await addEntries(fixture, organization, rebuild)));
}

export function generationsOf({ generation, rebuild }: Organization): number[] {
  return rebuild === null ? [generation] : [generation, generation + 1];
}

async function beginRebuild(fixture: RollupFixture, organization: Organization) {
  organization.rebuild = {
    cutoverMs: fixture.nowMs + 5000,
    addedByShard: new Map(),
    run: null,
    inProgress: null,
  };
  await putState(fixture, organization);
}

/** True when no run is in progress. Records the result of the last run. */
function isIdle(rebuild: Rebuild): boolean {
  const outcome = rebuild.run?.status.kind;
  if (outcome === 'running') return false;
  if (outcome === 'returned' && rebuild.inProgress !== null) rebuild.addedByShard.set(...rebuild.inProgress);
  rebuild.run = null;
  return true;
}

function entriesToBackfill(
  { entries }: RollupFixture,
  { id }: Organization,
  { cutoverMs, logShard }: { cutoverMs: number; logShard: number },
): StoredLogEntry[] {
  return entries
    .filter(({ entry, writtenAtMs }) => entry.organization_id === id && writtenAtMs < cutoverMs)
    .filter(({ entry }) => shardOfLogId(entry.id) === logShard)
    .sort((left, right) => (left.entry.id < right.entry.id ? -1 : 1));
}

/** Resolves to `false` when all entries have been added. */
async function addEntries(
  fixture: RollupFixture,
  organization: Organization,
  rebuild: Rebuild,
): Promise<boolean> {
  for (const logShard of [0, 3, 9]) {
    const from = rebuild.addedByShard.get(logShard) ?? 0;
    const { cutoverMs } = rebuild;
    const batch = entriesToBackfill(fixture, organization, { cutoverMs, logShard }).slice(from, from + 2);
    if (batch.length === 0) continue;
    const records = batch.map((stored) => ({ ...stored, before: null, sequenceNumber: stored.entry.id }));
    const generations = [organization.generation + 1];
    rebuild.inProgress = [logShard, from + batch.length];
    rebuild.run = await startRun(fixture.client, (client) =>
      createCostRollupWriter({ ...fixture.table, client }, () => new Date(fixture.nowMs)).add(
        `rebuild-${logShard}`,
        toRowUpdates(records, () => generations),
      ),
    );
    return true;
  }
  return false;
}

/** Requires a complete backfill. */
export async function cutOver(fixture: RollupFixture, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return;
  organization.generation += 1;
  organization.cutoverMs = rebuild.cutoverMs;
  organization.rebuild = null;
  await putState(fixture, organization);
}

async function putState({ table }: RollupFixture, { id, generation, cutoverMs, rebuild }: Organization) {
  const state = { generation, from_ms: cutoverMs };
  const next = rebuild && {
    rebuild: {
      generation: generation + 1,
      from_ms: rebuild.cutoverMs,
      counts_from_ms: 0,
      counts_until_ms: 0,
      run_ms: 0,
      run_of_all: false,
    },
  };
  await table.client.send(
    new PutCommand({ TableName: table.tableName, Item: { ...stateKey(id), ...state, ...next } }),
  );
}
