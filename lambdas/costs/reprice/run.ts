/**
 * A run of `costs reprice` over the entries of one organization: how far it came, and that the rollups must not be
 * rebuilt meanwhile. Both are kept in the item that says which rollups are read.
 *
 * A rebuild counts what was written before it began from the entries, and what is written later from the stream. A
 * changed entry is neither, so that a rebuild and a run exclude each other. A run that was killed keeps the rebuild
 * out, since its last writes may be under way, until another run takes its place and ends in order. A run whose place
 * was taken finds that out before it writes on.
 */
import type { CostRollupsTable } from '../rollups/item.ts';
import { findStateItem, type StateItem, updateStateItem } from '../rollups/state.ts';

export interface RepriceRun {
  organizationId: string;
  /** Of this run alone. */
  id: string;
  startedAt: Date;
}

/** What is left to do of a task. */
export interface RepriceProgress {
  /** Says which entries are priced by which prices. */
  task: string;
  /** When the task was begun: entries that are newer are no part of it. */
  untilMs: number;
  /** Shards from this one on were not begun. */
  nextShard: number;
  /** The shards that were begun and not ended, with the last id that was dealt with; empty when none was. */
  reached: Record<string, string>;
}

export interface BegunReprice {
  /** Only what was written since then is counted from the stream: a change must not seem to be older. */
  rollupsFromMs: number;
  /** What an earlier run left. */
  progress: RepriceProgress | null;
}

/** Takes the place of any other run. `null` when the organization's rollups are being rebuilt. */
export async function beginReprice(table: CostRollupsTable, run: RepriceRun): Promise<BegunReprice | null> {
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET reprice = :run',
    ConditionExpression: 'attribute_not_exists(#rebuild)',
    ExpressionAttributeNames: { '#rebuild': 'rebuild' },
    ExpressionAttributeValues: { ':run': { run: run.id, started_at: run.startedAt.toISOString() } },
  });
  return item && { rollupsFromMs: Number(item.from_ms ?? 0), progress: readProgress(item) };
}

/** Also says that the run goes on. `false` when another one has taken its place. */
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
 * When none of its writes is under way any more. `false` when another run has taken its place. The time stays: for some
 * hours after it, the stream may have changes that the rollups have not followed yet.
 */
export async function endReprice(table: CostRollupsTable, run: RepriceRun, endedAt: Date): Promise<boolean> {
  const { ConditionExpression, ...values } = ifStillRunning(run, { ':ended': endedAt.getTime() });
  const item = await updateStateItem(table, run.organizationId, {
    UpdateExpression: 'SET repriced_ms = :ended REMOVE reprice, reprice_progress',
    ...values,
    // When an answer was lost, the second attempt finds that the first one did it.
    ConditionExpression: `attribute_not_exists(reprice) OR ${ConditionExpression}`,
  });
  return item !== null;
}

/** As `endReprice`, but a later run can go on with what is left. */
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
  const item = await findStateItem(table, organizationId);
  return item && readProgress(item);
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

function readProgress({ reprice_progress }: StateItem): RepriceProgress | null {
  if (reprice_progress === undefined) return null;
  const { task, until_ms, next_shard, reached } = reprice_progress as {
    task: string;
    until_ms: number;
    next_shard: number;
    reached: Record<string, string>;
  };
  return { task, untilMs: until_ms, nextShard: next_shard, reached };
}
