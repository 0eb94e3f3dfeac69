/**
 * Adds a quarantined record to the cost rollups, exactly once.
 *
 * Watermarks do not work here: those of the rows have already passed the record. Instead, one transaction adds to all rows
 * and marks the quarantine item as replayed, on condition that the state of the rollups has not changed. So nothing is added
 * twice or in part, even if the process is killed, two run concurrently or the message is a duplicate.
 */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  comparesIfExists,
  conditionExpressions,
  equals,
  ifNotExists,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import { counterUpdates, type ReplayedCountersDependencies } from '../budgets/replayed-counters.ts';
import { removeMarks } from '../restored-entries.ts';
import { type CostRollupsTable, itemKey, totalsAdditions } from '../rollups/item.ts';
import { isReplayed, quarantineExpiry, quarantineKey, type StreamRecordId } from '../rollups/quarantine.ts';
import { type RollupRecord, type RowUpdate, toRowUpdates } from '../rollups/row-updates.ts';
import { costRollupsSchema } from '../rollups/schema.ts';
import { stateKey } from '../rollups/state.ts';
import {
  findRebuildState,
  generationsMissing,
  type NotReplayable,
  type RebuildState,
} from './rebuild-state.ts';

export interface RecordReplayDependencies extends ReplayedCountersDependencies {
  /** Called before a retry after a conflicting write, or during a recount. */
  pause(): Promise<void>;
}

interface QuarantinedRecord {
  shardId: string;
  record: RollupRecord;
}

type ReplayResult = 'added' | 'added before' | NotReplayable;

type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>;

export async function replayRecord(
  dependencies: RecordReplayDependencies,
  { shardId, record }: QuarantinedRecord,
): Promise<ReplayResult> {
  const { costRollups, pause } = dependencies;
  const recordId = { shardId, sequenceNumber: record.sequenceNumber };
  for (;;) {
    if (await isReplayed(costRollups, recordId)) {
      await removeMarks(costRollups, [record]);
      return 'added before';
    }
    const state = await findRebuildState(costRollups, record.entry.organization_id);
    const generations = generationsMissing(state, record);
    if (typeof generations === 'string') return generations;
    const counters = await counterUpdates(dependencies, record);
    if (counters === null) {
      await pause();
      continue;
    }
    const rows = toRowUpdates([record], () => generations);
    const actions = [
      stateUnchanged(costRollups, record, state),
      markReplayed(dependencies, recordId),
      ...rows.map((row) => addToRow(costRollups, row)),
      ...counters,
    ];
    if (await tryTransaction(dependencies, actions)) {
      await removeMarks(costRollups, [record]);
      return 'added';
    }
    await pause();
  }
}

/** Resolves to `false` when the transaction can be retried. */
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

const retryableCodes = new Set(['ConditionalCheckFailed', 'TransactionConflict', 'ThrottlingError', 'None']);

function isRetryable({ CancellationReasons = [] }: TransactionCanceledException): boolean {
  return CancellationReasons.every(({ Code = 'None' }) => retryableCodes.has(Code));
}

/** After a change of the state, the generation may be about to be deleted, or a rebuild may have begun. */
function stateUnchanged({ tableName }: CostRollupsTable, { entry }: RollupRecord, state: RebuildState) {
  const { generation, rebuild } = state;
  return {
    ConditionCheck: {
      TableName: tableName,
      Key: stateKey(entry.organization_id),
      ...conditionExpressions(
        comparesIfExists('generation', '=', generation),
        rebuild === null ? notExists('rebuild') : equals(['rebuild', 'generation'], rebuild.generation),
      ),
    },
  };
}

function markReplayed({ costRollups, now }: RecordReplayDependencies, recordId: StreamRecordId) {
  const replayedAt = now();
  const set = {
    replayed_ms: replayedAt.getTime(),
    [costRollupsSchema.expiry]: ifNotExists(quarantineExpiry(replayedAt)),
  };
  return {
    Update: {
      TableName: costRollups.tableName,
      Key: quarantineKey(recordId),
      ...updateExpressions({ set }, notExists('replayed_ms')),
    },
  };
}

function addToRow({ tableName }: CostRollupsTable, { generation, key, additions }: RowUpdate) {
  const [single, ...others] = additions;
  if (single === undefined || others.length > 0)
    throw new Error('Each row must have exactly one addition per record');
  return {
    Update: {
      TableName: tableName,
      Key: itemKey(generation, key),
      ...updateExpressions({ add: totalsAdditions(single.totals) }),
    },
  };
}
