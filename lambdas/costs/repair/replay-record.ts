/**
 * Adds a record that the rollup function has quarantined to the cost rollups, once, however often it is tried.
 *
 * The function's own method does not work here: a row's watermark may have passed the record long ago, and a watermark for
 * each such record would have to stay in every row that has it. So one transaction adds to all rows and marks the
 * record's item as replayed, on the condition that the state of the rollups has not changed. So nothing is added twice or
 * in part, even if this is killed, runs twice at the same time or finds another copy of the message.
 */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type RollupRecord, type RowAdditions, rowAdditionsOf } from '../rollups/increments.ts';
import { addSums, type CostRollupsTable, itemKey, sumValues } from '../rollups/item.ts';
import { isReplayed, quarantineExpiry, quarantineKey, type StreamRecordId } from '../rollups/quarantine.ts';
import { costRollupsSchema } from '../rollups/schema.ts';
import { stateKey } from '../rollups/state.ts';
import {
  createRebuildStore,
  generationsMissing,
  type NotMissing,
  type RebuildState,
} from './rebuild-state.ts';

export interface RecordReplayDependencies {
  costRollups: CostRollupsTable;
  now(): Date;
  /** Called before another attempt, after a conflict with another write. */
  pause(): Promise<void>;
}

export interface QuarantinedRecord {
  shardId: string;
  record: RollupRecord;
}

export type ReplayResult = 'added' | 'added before' | NotMissing;

type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>;

export async function replayRecord(
  dependencies: RecordReplayDependencies,
  { shardId, record }: QuarantinedRecord,
): Promise<ReplayResult> {
  const { costRollups, pause } = dependencies;
  const name = { shardId, sequenceNumber: record.sequenceNumber };
  const store = createRebuildStore(costRollups, record.entry.organization_id);
  for (;;) {
    if (await isReplayed(costRollups, name)) return 'added before';
    const state = await store.find();
    const generations = generationsMissing(state, record);
    if (typeof generations === 'string') return generations;
    const rows = rowAdditionsOf([record], () => generations);
    const actions = [
      stateIsStill(costRollups, record, state),
      noteReplay(dependencies, name),
      ...rows.map((row) => addToRow(costRollups, row)),
    ];
    if (await tryTransaction(dependencies, actions)) return 'added';
    await pause();
  }
}

/** `false` when nothing was done and another attempt may find another state, or no conflict. */
async function tryTransaction(
  { costRollups }: RecordReplayDependencies,
  TransactItems: Actions,
): Promise<boolean> {
  try {
    await costRollups.client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException && isRetryable(error)) return false;
    throw error;
  }
}

const retryable = new Set(['ConditionalCheckFailed', 'TransactionConflict', 'ThrottlingError', 'None']);

function isRetryable({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  return CancellationReasons.every(({ Code = 'None' }) => retryable.has(Code));
}

/** The generation to add to may be about to be deleted, or another one may have begun. */
function stateIsStill({ tableName }: CostRollupsTable, { entry }: RollupRecord, state: RebuildState) {
  const { generation, rebuild } = state;
  const isRebuild = rebuild === null ? 'attribute_not_exists(#rebuild)' : '#rebuild.generation = :rebuild';
  return {
    ConditionCheck: {
      TableName: tableName,
      Key: stateKey(entry.organization_id),
      ConditionExpression: `(attribute_not_exists(generation) OR generation = :generation) AND ${isRebuild}`,
      ExpressionAttributeNames: { '#rebuild': 'rebuild' },
      ExpressionAttributeValues: {
        ':generation': generation,
        ...(rebuild !== null && { ':rebuild': rebuild.generation }),
      },
    },
  };
}

function noteReplay({ costRollups, now }: RecordReplayDependencies, name: StreamRecordId) {
  const { expiry } = costRollupsSchema;
  const at = now();
  return {
    Update: {
      TableName: costRollups.tableName,
      Key: quarantineKey(name),
      UpdateExpression: `SET replayed_ms = :now, ${expiry} = if_not_exists(${expiry}, :expiry)`,
      ConditionExpression: 'attribute_not_exists(replayed_ms)',
      ExpressionAttributeValues: { ':now': at.getTime(), ':expiry': quarantineExpiry(at) },
    },
  };
}

function addToRow({ tableName }: CostRollupsTable, { generation, key, additions }: RowAdditions) {
  const [addition, ...others] = additions;
  if (addition === undefined || others.length > 0) throw new Error('A record adds once to a row');
  return {
    Update: {
      TableName: tableName,
      Key: itemKey(generation, key),
      UpdateExpression: addSums,
      ExpressionAttributeValues: sumValues(addition.totals),
    },
  };
}
