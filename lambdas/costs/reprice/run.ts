/**
 * The state of a run of `costs reprice` for one organization: its lock and its progress, in the state item of the rollups.
 *
 * A rebuild counts entries written before its cutover from the log table, and later ones from the stream. An entry whose
 * price changes during a rebuild would be counted incorrectly, so the lock excludes rebuilds. After a run is killed, the
 * lock stays, since its last writes may be in flight, until another run takes over and ends. A run that lost its lock
 * detects this before its next write.
 */
import { anyOf, type Condition, equals, notExists } from '#lambdas/platform/dynamodb/expressions.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { type StateItem, updateStateItem } from '../rollups/state.ts';
import { parseStateItem, readStateItem, type StoredState } from '../rollups/state-item.ts';

export interface RepriceRun {
  organizationId: string;
  id: string;
  startedAt: Date;
}

export interface RepriceProgress {
  task: string;
  /** The exclusive end of the window. */
  untilMs: number;
  nextShard: number;
  /** The last processed entry id of each shard in progress; an empty string when there is none. */
  reached: Record<string, string>;
}

interface StartedReprice {
  /** No change may have an earlier write time: the rollup function would ignore its stream record. */
  cutoverMs: number;
  progress: RepriceProgress | null;
}

/** Takes over the lock of any other run. `null` when the organization's rollups are being rebuilt. */
export async function beginReprice(table: CostRollupsTable, run: RepriceRun): Promise<StartedReprice | null> {
  const set = { reprice: { run: run.id, started_at: run.startedAt.toISOString() } };
  const item = await updateStateItem(table, run.organizationId, { set }, notExists('rebuild'));
  if (item === null) return null;
  const state = parseStateItem(run.organizationId, item);
  return { cutoverMs: state.from_ms, progress: progressFromState(state) };
}

/** Resolves to `false` when another run has taken over the lock. */
export async function saveReprice(
  table: CostRollupsTable,
  run: RepriceRun,
  progress: RepriceProgress,
): Promise<boolean> {
  const set = { reprice_progress: progressToItem(progress) };
  const item = await updateStateItem(table, run.organizationId, { set }, isRunning(run));
  return item !== null;
}

/**
 * Call when no write is in flight. Resolves to `false` when another run has taken over the lock. Stores the time, because
 * for some hours the stream may still have changes that are not in the rollups.
 */
export async function endReprice(table: CostRollupsTable, run: RepriceRun, endedAt: Date): Promise<boolean> {
  const changes = { set: { repriced_ms: endedAt.getTime() }, remove: ['reprice', 'reprice_progress'] };
  // After a lost response, the SDK's retry finds the lock already removed.
  const condition = anyOf(notExists('reprice'), isRunning(run));
  const item = await updateStateItem(table, run.organizationId, changes, condition);
  return item !== null;
}

/** Like `endReprice`, but keeps the progress for a later run. */
export async function releaseReprice(
  table: CostRollupsTable,
  run: RepriceRun,
  { progress, endedAt }: { progress: RepriceProgress; endedAt: Date },
): Promise<boolean> {
  const set = { repriced_ms: endedAt.getTime(), reprice_progress: progressToItem(progress) };
  const changes = { set, remove: ['reprice'] };
  const item = await updateStateItem(table, run.organizationId, changes, isRunning(run));
  return item !== null;
}

export async function findRepriceProgress(
  table: CostRollupsTable,
  organizationId: string,
): Promise<RepriceProgress | null> {
  return progressFromState(await readStateItem(table, organizationId));
}

function isRunning({ id }: RepriceRun): Condition {
  return equals(['reprice', 'run'], id);
}

function progressToItem({ task, untilMs, nextShard, reached }: RepriceProgress): StateItem {
  return { task, until_ms: untilMs, next_shard: nextShard, reached };
}

function progressFromState({ reprice_progress: progress }: StoredState): RepriceProgress | null {
  if (progress === null) return null;
  const { task, until_ms, next_shard, reached } = progress;
  return { task, untilMs: until_ms, nextShard: next_shard, reached };
}
