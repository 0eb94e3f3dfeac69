/**
 * The state of a run of `costs reprice` over the entries of one organization: its progress, and that the rollups must not
 * be rebuilt meanwhile. Both are kept in the item that says which rollups are read.
 *
 * A rebuild counts what was written before it began from the entries, and what is written later from the stream. A
 * changed entry is neither, so a rebuild and a run exclude each other. A run that was killed keeps excluding rebuilds,
 * since its last writes may be in flight, until another run takes over and ends properly. A run that was taken over
 * finds that out before it writes again.
 */

import type { CostRollupsTable } from '../rollups/item.ts';
import { type StateItem, updateStateItem } from '../rollups/state.ts';
import { parseStateItem, readStateItem, type StoredState } from '../rollups/state-item.ts';

export interface RepriceRun {
  organizationId: string;
  /** Unique to this run. */
  id: string;
  startedAt: Date;
}

/** The part of a task that is left to do. */
export interface RepriceProgress {
  /** Identifies which entries are priced with which prices. */
  task: string;
  /** When the task began: newer entries are not part of it. */
  untilMs: number;
  /** The first shard that has not been started. */
  nextShard: number;
  /** The shards that were started and not finished, with the last id that was processed; empty when none was. */
  reached: Record<string, string>;
}

export interface BegunReprice {
  /** The stream counts only what was written since then: a change must not be dated earlier. */
  rollupsFromMs: number;
  /** Left by an earlier run. */
  progress: RepriceProgress | null;
}

/** Takes over from any other run. `null` when the organization's rollups are being rebuilt. */
export async function beginReprice(table: CostRollupsTable, run: RepriceRun): Promise<BegunReprice | null> {
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET reprice = :run',
    ConditionExpression: 'attribute_not_exists(#rebuild)',
    ExpressionAttributeNames: { '#rebuild': 'rebuild' },
    ExpressionAttributeValues: { ':run': { run: run.id, started_at: run.startedAt.toISOString() } },
  });
  if (item === null) return null;
  const state = parseStateItem(run.organizationId, item);
  return { rollupsFromMs: state.from_ms, progress: progressOf(state) };
}

/** `false` when another run has taken over. */
export async function saveReprice(
  table: CostRollupsTable,
  run: RepriceRun,
  progress: RepriceProgress,
): Promise<boolean> {
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET reprice_progress = :progress',
    ...ifStillRunning(run, { ':progress': toItem(progress) }),
  });
  return item !== null;
}

/**
 * To be called when none of its writes is in flight any more. `false` when another run has taken over. The time stays in
 * the state: for some hours after it, the stream may have changes that the rollups have not followed yet.
 */
export async function endReprice(table: CostRollupsTable, run: RepriceRun, endedAt: Date): Promise<boolean> {
  const { ConditionExpression, ...values } = ifStillRunning(run, { ':ended': endedAt.getTime() });
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET repriced_ms = :ended REMOVE reprice, reprice_progress',
    ...values,
    // When the response was lost, the SDK's second attempt finds what the first one did.
    ConditionExpression: `attribute_not_exists(reprice) OR ${ConditionExpression}`,
  });
  return item !== null;
}

/** Like `endReprice`, but a later run can continue with what is left. */
export async function leaveReprice(
  table: CostRollupsTable,
  run: RepriceRun,
  { progress, endedAt }: { progress: RepriceProgress; endedAt: Date },
): Promise<boolean> {
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET repriced_ms = :ended, reprice_progress = :progress REMOVE reprice',
    ...ifStillRunning(run, { ':progress': toItem(progress), ':ended': endedAt.getTime() }),
  });
  return item !== null;
}

/** One strongly consistent read. */
export async function findRepriceProgress(
  table: CostRollupsTable,
  organizationId: string,
): Promise<RepriceProgress | null> {
  return progressOf(await readStateItem(table, organizationId));
}

function ifStillRunning({ id }: RepriceRun, values: StateItem) {
  return {
    ConditionExpression: 'reprice.#run = :run',
    ExpressionAttributeNames: { '#run': 'run' },
    ExpressionAttributeValues: { ...values, ':run': id },
  };
}

function toItem({ task, untilMs, nextShard, reached }: RepriceProgress): StateItem {
  return { task, until_ms: untilMs, next_shard: nextShard, reached };
}

function progressOf({ reprice_progress: progress }: StoredState): RepriceProgress | null {
  if (progress === null) return null;
  const { task, until_ms, next_shard, reached } = progress;
  return { task, untilMs: until_ms, nextShard: next_shard, reached };
}
