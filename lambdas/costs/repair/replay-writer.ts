/**
 * Adds a record that the rollup function has quarantined to the cost rollups, once, however often it is tried.
 *
 * The function's own way does not work here: a row's watermark may have passed the record long ago, and a watermark for each
 * such record would have to stay in every row that has it. So one transaction adds to all rows and notes in the record's
 * item that it was replayed, while the state of the rollups is what it was read as. Nothing of it can be there twice or in
 * part, whoever is killed, runs at the same time or has another copy of the message.
 */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { type RowAdditions, rowAdditionsOf } from '../rollups/increments.ts';
import { addSums, type CostRollupsTable, itemKey, sumValues } from '../rollups/item.ts';
import { isReplayed, quarantineExpiry, quarantineKey, type RecordName } from '../rollups/quarantine.ts';
import { stateKey } from '../rollups/state.ts';
import type { RollupRecord } from '../rollups/stream-record.ts';
import {
  createRebuildStore,
  generationsLacking,
  type NotLacking,
  type RebuildState,
} from './rebuild-state.ts';

export interface ReplayParts {
  table: CostRollupsTable;
  now(): Date;
  /** Before it is tried again what another write was in the way of. */
  pause(): Promise<void>;
}

export interface QuarantinedRecord {
  shardId: string;
  record: RollupRecord;
}

export type ReplayResult = 'added' | 'added before' | NotLacking;

type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>;

export async function replayRecord(
  parts: ReplayParts,
  { shardId, record }: QuarantinedRecord,
): Promise<ReplayResult> {
  const name = { shardId, sequenceNumber: record.sequenceNumber };
  const store = createRebuildStore(parts.table, record.entry.organization_id);
  for (;;) {
    if (await isReplayed(parts.table, name)) return 'added before';
    const state = await store.find();
    const generations = generationsLacking(state, record);
    if (typeof generations === 'string') return generations;
    const rows = rowAdditionsOf([record], () => generations);
    const actions = [
      stateIsStill(parts.table, record, state),
      noteReplay(parts, name),
      ...rows.map((row) => addToRow(parts.table, row)),
    ];
    if (await isDone(parts, actions)) return 'added';
    await parts.pause();
  }
}

/** `false` when nothing was done and the next time may find another state, or nobody in the way. */
async function isDone({ table }: ReplayParts, TransactItems: Actions): Promise<boolean> {
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException && isPassing(error)) return false;
    throw error;
  }
}

const passing = new Set(['ConditionalCheckFailed', 'TransactionConflict', 'ThrottlingError', 'None']);

function isPassing({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  return CancellationReasons.every(({ Code = 'None' }) => passing.has(Code));
}

/** A generation that was read as the one to add to may be about to be deleted, or another one have been begun. */
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

function noteReplay({ table, now }: ReplayParts, name: RecordName) {
  const at = now();
  return {
    Update: {
      TableName: table.tableName,
      Key: quarantineKey(name),
      UpdateExpression: 'SET replayed_ms = :now, expires_at = if_not_exists(expires_at, :expiry)',
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
