/**
 * Reads and updates the state of an organization's cost rollups: the active generation, and the one under construction.
 *
 * The state and the repair in progress share an item, so that one conditional write prevents concurrent repairs.
 * `state-item.ts` lists the item's attributes.
 */

import { GetCommand, type GetCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  type Changes,
  type Condition,
  comparesIfExists,
  equals,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { type CostRollupsTable, itemKey } from './item.ts';
import { additionsOf, type RollupKey, rollupDelayMs } from './rollup.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';

/** A complete set of rollup rows. A rebuild creates a new one next to the active one. */
export interface RollupGeneration {
  generation: number;
  /** Entries written at this time or later are added from the stream; a rebuild counted earlier ones from the log table. */
  cutoverMs: number;
}

/** The active generation, which reports read. */
export interface RollupState extends RollupGeneration {
  rebuild: RollupGeneration | null;
  /** When `costs reprice` last ended, in milliseconds since 1970; infinite while it is running. */
  repricedMs?: number;
  /** Until then, the organization may have marks of restored entries, in milliseconds since 1970. */
  restoredUntilMs?: number;
  /** Missing if there were never budgets. */
  counters?: CounterPresence;
}

/** Whether the BudgetCounters table may have counters of the organization and its keys. */
interface CounterPresence {
  organization: boolean;
  keys: boolean;
  /** The number of times that a flag was stored. */
  flagChanges: number;
}

/** The rollups usually have counted the changes of a reprice after this time. A recount, and thus a new budget, waits for it. */
export const repriceDelayMs = rollupDelayMs;
/** Twice as long, for times when counting is delayed: until then, reports only read more rows, and statements are not final. */
export const cautiousRepriceDelayMs = 2 * repriceDelayMs;

/** A reprice changes older entries, so the newest ones, which `findCompleteUntil` looks up, do not show it. */
export function mayHaveUncountedReprice(
  { repricedMs = Number.NEGATIVE_INFINITY }: RollupState,
  now: Date,
  delayMs: number,
): boolean {
  return now.getTime() < repricedMs + delayMs;
}

/** The generations that include a stream record, by the write time of its entry. */
export function generationsAt(state: RollupState, writtenAtMs: number): number[] {
  const all = state.rebuild === null ? [state] : [state, state.rebuild];
  return all.filter(({ cutoverMs }) => writtenAtMs >= cutoverMs).map(({ generation }) => generation);
}

/** The state before the first rebuild: all rows come from the stream. */
const initialState: RollupState = { generation: 0, cutoverMs: 0, rebuild: null };

export async function findRollupState(table: CostRollupsTable, organizationId: string): Promise<RollupState> {
  const item = await findStateItem(table, organizationId);
  if (item === null) return initialState;
  const { rebuild, reprice, repriced_ms, restored_until_ms } = item;
  const { organization_counter, key_counters, counter_changes } = item;
  const repricedMs = reprice === undefined ? repriced_ms : Number.POSITIVE_INFINITY;
  return {
    ...toGeneration(item),
    rebuild: rebuild ? toGeneration(rebuild) : null,
    ...(repricedMs !== undefined && { repricedMs }),
    ...(restored_until_ms !== undefined && { restoredUntilMs: restored_until_ms }),
    ...(counter_changes !== undefined && {
      counters: {
        organization: organization_counter === true,
        keys: key_counters === true,
        flagChanges: counter_changes,
      },
    }),
  };
}

/** Before the first rebuild, an item that `costs reprice` created has no generation. */
function toGeneration({ generation = 0, from_ms = 0 }: Record<string, number>): RollupGeneration {
  return { generation, cutoverMs: from_ms };
}

export type StateItem = NonNullable<GetCommandOutput['Item']>;

export function stateKey(organizationId: string): ItemKey {
  return { [costRollupsSchema.partitionKey]: organizationId, [costRollupsSchema.sortKey]: 'state' };
}

/**
 * Call before changing the price of a single entry, outside of a run of `costs reprice`. No change may have an earlier write time
 * than `cutoverMs`. `null` when the organization's rollups are being rebuilt.
 */
export async function allowPriceChange(
  table: CostRollupsTable,
  organizationId: string,
  now: Date,
): Promise<Pick<RollupGeneration, 'cutoverMs'> | null> {
  const set = { repriced_ms: now.getTime() };
  const item = await updateStateItem(table, organizationId, { set }, notExists('rebuild'));
  return item && toGeneration(item);
}

/** Call before entries are restored. `untilMs`: when the last of their marks may be gone, in milliseconds since 1970. */
export async function allowRestores(
  table: CostRollupsTable,
  organizationId: string,
  untilMs: number,
): Promise<void> {
  const isEarlier = comparesIfExists('restored_until_ms', '<', untilMs);
  await updateStateItem(table, organizationId, { set: { restored_until_ms: untilMs } }, isEarlier);
}

/** The attributes of the state item that tell whether the organization, or a key, may have a counter. */
export type CounterFlag = 'organization_counter' | 'key_counters';

/** Must be stored before the counter exists. */
export async function storeCounterFlag(
  table: CostRollupsTable,
  organizationId: string,
  flag: CounterFlag,
): Promise<void> {
  await updateStateItem(table, organizationId, { set: { [flag]: true }, add: { counter_changes: 1 } });
}

/** Does nothing if a flag was stored since `flagChanges` was read. */
export async function clearCounterFlag(
  table: CostRollupsTable,
  organizationId: string,
  { flag, flagChanges }: { flag: CounterFlag; flagChanges: number },
): Promise<void> {
  await updateStateItem(table, organizationId, { remove: [flag] }, equals('counter_changes', flagChanges));
}

/** Strongly consistent: rebuilds rely on every reader to see their changes of the state. */
export async function findStateItem(
  { client, tableName }: CostRollupsTable,
  organizationId: string,
): Promise<StateItem | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: stateKey(organizationId), ConsistentRead: true }),
  );
  return Item ?? null;
}

/** Resolves to the updated item; `null` when the condition failed. */
export async function updateStateItem(
  { client, tableName }: CostRollupsTable,
  organizationId: string,
  changes: Changes,
  ...conditions: readonly Condition[]
): Promise<StateItem | null> {
  const update = new UpdateCommand({
    TableName: tableName,
    Key: stateKey(organizationId),
    ...updateExpressions(changes, ...conditions),
    ReturnValues: 'ALL_NEW',
  });
  const output = await nullIfConditionFails(client.send(update));
  return output && (output.Attributes ?? {});
}

/**
 * How far the entries of a log shard have been counted: the rows by API key and month store when the last of their entries
 * was written. Each entry is in one of them, and they have a write shard for each log shard, so their entries arrive in the
 * order of the stream. In milliseconds since 1970.
 */
export const lastWrittenAttribute = 'written_ms';

export function isProgressRow({ dimension, period }: Pick<RollupKey, 'dimension' | 'period'>): boolean {
  return dimension === 'api_key' && period === 'month';
}

/**
 * Returns the latest known time, in milliseconds since 1970, up to which the written entries of the entry's log shard have
 * been counted; `null` if the entry itself has not been counted. Strongly consistent.
 */
export async function findCountedUntil(
  { client, tableName }: CostRollupsTable,
  { generation, cutoverMs }: RollupGeneration,
  { entry, writtenAtMs }: StoredLogEntry,
): Promise<number | null> {
  // The rebuild of this generation has counted it; also if it has no write time, which is NaN here and never compares.
  if (!(writtenAtMs >= cutoverMs)) return cutoverMs;
  const progressRow = additionsOf(entry).find(({ key }) => isProgressRow(key));
  // No row counts it, such as an entry without a model: there is nothing to wait for.
  if (progressRow === undefined) return writtenAtMs;
  const { Item = {} } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: itemKey(generation, progressRow.key),
      ConsistentRead: true,
      ProjectionExpression: lastWrittenAttribute,
    }),
  );
  const lastWrittenMs = Number(Item[lastWrittenAttribute] ?? 0);
  return lastWrittenMs >= writtenAtMs ? lastWrittenMs : null;
}
