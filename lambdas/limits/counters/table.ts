/** Reads counters, and settles them in the order of the log table's stream, each record once. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dayMs, minuteMs } from '#lambdas/platform/duration.ts';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import { retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import { type ConditionalUpdate, comparesIfExists, equals } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  expiredWatermarks,
  isCounted,
  type Source,
  streamRetentionMs,
  watermarkAttribute,
  watermarkPosition,
  watermarkValue,
} from '#lambdas/platform/dynamodb/watermark.ts';
import type { BudgetScope } from '../budgets/budget.ts';
import {
  type CounterItem,
  type CounterItems,
  isPeriodOver,
  parseCounterItem,
  pendingAttribute,
  periodAttribute,
  periodAttributes,
  periodsAt,
  slotOf,
  slotStartMs,
} from './counter.ts';
import { counterItemKey, counterKey } from './keys.ts';
import { emptyLeasesOf, expiredAmountsOf } from './leases.ts';
import { isEmptySettlement, type Settlement, settlementUpdate } from './settlement.ts';
import { createUpdate, releaseAmounts } from './update.ts';

export interface BudgetCountersTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

/** Strongly consistent; `null` if there is no such counter: its item may have the state of rate limits alone. */
export async function findCounterItem(
  { client, tableName }: BudgetCountersTable,
  key: string,
): Promise<CounterItem | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: counterItemKey(key), ConsistentRead: true }),
  );
  return Item?.id === undefined ? null : parseCounterItem(Item);
}

/** All items of a counter, the first one first. Items that do not exist yet are left out. */
export async function findCounterItems(
  table: BudgetCountersTable,
  scope: BudgetScope,
  first: CounterItem,
): Promise<CounterItems> {
  const others: CounterItem[] = [];
  for (let index = 1; index < first.itemCount; index++) {
    const item = await findCounterItem(table, counterKey(scope, index));
    if (item?.id === first.id) others.push(item);
  }
  return [first, ...others];
}

/** Strongly consistent; `null` if the counter was replaced. */
export async function findItemsByKey(
  table: BudgetCountersTable,
  { keys, id }: { keys: readonly string[]; id: string },
): Promise<CounterItem[] | null> {
  const items: CounterItem[] = [];
  for (const key of keys) {
    const item = await findCounterItem(table, key);
    if (item?.id !== id) return null;
    items.push(item);
  }
  return items;
}

export interface SettlementRecord extends Settlement {
  sequenceNumber: string;
}

/**
 * Settles records in the order of their sequence numbers, each once: the item stores a watermark for each shard of the
 * stream. Resolves to the item afterwards; `null` if the counter does not exist any more.
 */
export async function settleRecords(
  table: BudgetCountersTable,
  item: CounterItem,
  { source, records, now }: { source: Source; records: readonly SettlementRecord[]; now: Date },
): Promise<CounterItem | null> {
  const attribute = watermarkAttribute(source);
  let current = item;
  let remaining = records.filter((record) => !isEmptySettlement(record));
  for (;;) {
    const watermark = current.attributes[attribute];
    remaining = remaining.filter(
      ({ sequenceNumber }) =>
        watermark === undefined || !isCounted(watermarkPosition(source, sequenceNumber), String(watermark)),
    );
    const part = firstPart(remaining);
    const [first, last] = [part.at(0), part.at(-1)];
    if (first === undefined || last === undefined) return removeExpiredAttributes(table, current, now);
    const update = settlementUpdate(current, part, now);
    update.require(comparesIfExists(attribute, '<', watermarkPosition(source, first.sequenceNumber)));
    update.set(attribute, watermarkValue(source, last.sequenceNumber, now));
    const result = await updateCounterItem(table, current.key, update.build());
    if (result.item?.id !== item.id) return null;
    current = result.item;
  }
}

/** An expression has at most 4 kB: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const maxSlots = 40;

/** After an outage, a batch can have records of many hours. */
function firstPart(records: readonly SettlementRecord[]): readonly SettlementRecord[] {
  const slots = new Set<number>();
  const end = records.findIndex(({ createdAtMs }) => slots.add(slotOf(createdAtMs)).size > maxSlots);
  return end === -1 ? records : records.slice(0, end);
}

/** Without an update: the item whose condition failed, or `null` if there is none. */
type UpdateResult = { isUpdated: true; item: CounterItem } | { isUpdated: false; item: CounterItem | null };

export async function updateCounterItem(
  { client, tableName }: BudgetCountersTable,
  key: string,
  update: ConditionalUpdate,
): Promise<UpdateResult> {
  const input = {
    TableName: tableName,
    Key: counterItemKey(key),
    ...update,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  try {
    // The transaction of a replay locks the item for some milliseconds.
    const { Attributes = {} } = await retryOnConflict(() => client.send(new UpdateCommand(input)));
    return { isUpdated: true, item: parseCounterItem(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const item = error.Item && parseCounterItem(fromAttributes(error.Item));
    return { isUpdated: false, item: item ?? null };
  }
}

/** The stream keeps a record for a day: what was not counted by then is restored or replayed, and is no longer pending. */
const maxPendingMs = streamRetentionMs + dayMs;

/** Requests release what they need before, with regard to what other items owe. */
const maxExpiredMs = 10 * minuteMs;

/** After this time, all requests of a slot have ended. */
const maxSlotUseMs = 30 * minuteMs;

/** So that few batches write once more. */
const minEmptyAttributes = 4;
/** After an outage of the rollup function, the next batches remove the rest. */
const maxEmptyAttributes = 80;

/**
 * Removes what the counter no longer needs: periods that are over, empty slots and leases, and watermarks of shards that have left
 * the stream. Otherwise the item would grow, and cost a second write unit from 1 kB on.
 */
async function removeExpiredAttributes(
  table: BudgetCountersTable,
  item: CounterItem,
  now: Date,
): Promise<CounterItem> {
  const nowMs = now.getTime();
  const update = createUpdate(item.id);
  // An attribute that was updated in the meantime is in use.
  const removeIf = (attribute: string, value: unknown) => {
    update.require(equals(attribute, value));
    update.remove(attribute);
  };
  for (const [attribute, value] of expiredWatermarks(item.attributes, now)) removeIf(attribute, value);
  const openPeriods = new Map([...item.periods].filter(([period]) => !isPeriodOver(period, nowMs)));
  // Nothing updates a period that is over.
  for (const period of [...item.periods.keys()].filter((period) => !openPeriods.has(period))) {
    for (const name of periodAttributes) update.remove(periodAttribute(name, period));
  }
  const forgotten = [...item.pending]
    .filter(([slot]) => slotStartMs(slot) + maxPendingMs <= nowMs)
    .map(([slot, usd]) => ({
      attribute: pendingAttribute(slot),
      day: periodsAt(slotStartMs(slot)).day,
      usd,
    }));
  const old = [...forgotten, ...expiredAmountsOf(item.attributes, nowMs - maxExpiredMs)];
  releaseAmounts(update, { periods: openPeriods }, old);
  const emptySlots = [...item.pending]
    .filter(([slot, usd]) => usd === '0' && slotStartMs(slot) + maxSlotUseMs <= nowMs)
    .map(([slot]) => pendingAttribute(slot));
  const empty = [...emptySlots, ...emptyLeasesOf(item.attributes, nowMs)];
  if (empty.length >= minEmptyAttributes) {
    for (const attribute of empty.slice(0, maxEmptyAttributes)) removeIf(attribute, 0);
  }
  const changes = update.build();
  if (changes.UpdateExpression === '') return item;
  const result = await updateCounterItem(table, item.key, changes);
  return result.item ?? item;
}
