/**
 * A rebuild of an organization's rollups, in steps that can be interrupted: what the admin command does, without its
 * waiting and its reading of the log table.
 */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { rowAdditionsOf } from '#lambdas/costs/rollups/increments.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { type InterruptedRun, startRun } from './interrupted-run.ts';
import type { Organization, World } from './rollup-world.ts';

export interface Rebuild {
  fromMs: number;
  /** By log shard: how many of its entries have been added, in the order of ids. */
  done: Map<number, number>;
  run: InterruptedRun | null;
  /** What the run under way will have done. */
  doing: [logShard: number, upTo: number] | null;
}

/** The next step: to begin, to add some entries of a shard, or to have the new generation take the other's place. */
export async function goOnWithRebuild(world: World, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return beginRebuild(world, organization);
  // All that was written before has landed by then.
  if (!isIdle(rebuild) || world.nowMs < rebuild.fromMs) return;
  if (!(await addEntries(world, organization, rebuild))) await switchGeneration(world, organization);
}

/** Brings a rebuild to where its generation could take the other's place, and leaves it there: both have to be right. */
export async function completeRebuild(world: World, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return;
  world.nowMs = Math.max(world.nowMs, rebuild.fromMs);
  do await rebuild.run?.finish();
  while (isIdle(rebuild) && (await addEntries(world, organization, rebuild)));
}

/** The generation that is read, and the one that is being built. */
export function generationsOf({ generation, rebuild }: Organization): number[] {
  return rebuild === null ? [generation] : [generation, generation + 1];
}

async function beginRebuild(world: World, organization: Organization) {
  organization.rebuild = { fromMs: world.nowMs + 5000, done: new Map(), run: null, doing: null };
  await putState(world, organization);
}

/** Whether no run is under way. */
function isIdle(rebuild: Rebuild): boolean {
  const outcome = rebuild.run?.outcome.kind;
  if (outcome === 'running') return false;
  if (outcome === 'returned' && rebuild.doing !== null) rebuild.done.set(...rebuild.doing);
  rebuild.run = null;
  return true;
}

/** Those that a rebuild counts, in the order of their ids. */
function entriesToAdd(
  { entries }: World,
  { id }: Organization,
  { fromMs, logShard }: { fromMs: number; logShard: number },
): StoredLogEntry[] {
  return entries
    .filter(({ entry, writtenAtMs }) => entry.organization_id === id && writtenAtMs < fromMs)
    .filter(({ entry }) => shardOfLogId(entry.id) === logShard)
    .sort((left, right) => (left.entry.id < right.entry.id ? -1 : 1));
}

/** Says whether there were any left. */
async function addEntries(world: World, organization: Organization, rebuild: Rebuild): Promise<boolean> {
  for (const logShard of [0, 3, 9]) {
    const from = rebuild.done.get(logShard) ?? 0;
    const { fromMs } = rebuild;
    const batch = entriesToAdd(world, organization, { fromMs, logShard }).slice(from, from + 2);
    if (batch.length === 0) continue;
    const records = batch.map((stored) => ({ ...stored, before: null, sequenceNumber: stored.entry.id }));
    const generations = [organization.generation + 1];
    rebuild.doing = [logShard, from + batch.length];
    rebuild.run = await startRun(world.client, (client) =>
      createCostRollupWriter({ ...world.table, client }, () => new Date(world.nowMs)).add(
        `rebuild-${logShard}`,
        rowAdditionsOf(records, () => generations),
      ),
    );
    return true;
  }
  return false;
}

/** Of a rebuild that is complete. */
export async function switchGeneration(world: World, organization: Organization): Promise<void> {
  const { rebuild } = organization;
  if (rebuild === null) return;
  organization.generation += 1;
  organization.fromMs = rebuild.fromMs;
  organization.rebuild = null;
  await putState(world, organization);
}

async function putState({ table }: World, { id, generation, fromMs, rebuild }: Organization) {
  const state = { generation, from_ms: fromMs };
  const next = rebuild && {
    rebuild: {
      ...{ generation: generation + 1, from_ms: rebuild.fromMs, counts_from_ms: 0, counts_until_ms: 0 },
      ...{ run_ms: 0, run_of_all: false },
    },
  };
  await table.client.send(
    new PutCommand({ TableName: table.tableName, Item: { ...stateKey(id), ...state, ...next } }),
  );
}
