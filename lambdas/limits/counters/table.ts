/** Reads counters, and settles them in the order of the log table's stream, each record once. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import { retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import { type ConditionalUpdate, comparesIfExists, equals } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  expiredWatermarks,
  isCounted,
  type Source,
  watermarkAttribute,
  watermarkPosition,
  watermarkValue,
} from '#lambdas/platform/dynamodb/watermark.ts';
import type { BudgetScope } from '../budgets/budget.ts';
import {
  type Counter,
  counterItemKey,
  counterKey,
  isPeriodOver,
  isSlotExpired,
  type PeriodAttribute,
  parseCounter,
  periodAttribute,
  periodsAt,
  slotAttribute,
  slotOf,
  slotStartMs,
} from './counter.ts';
import { isEmptySettlement, type Settlement, settlementUpdate } from './settlement.ts';
import { createUpdate } from './update.ts';

export interface BudgetCountersTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

/** Strongly consistent; `null` if there is no such counter. */
export async function findCounter(
  { client, tableName }: BudgetCountersTable,
  key: string,
): Promise<Counter | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: counterItemKey(key), ConsistentRead: true }),
  );
  return Item === undefined ? null : parseCounter(Item);
}

/** All items of a counter, the first one first. Items that do not exist yet are left out. */
export async function findCounterItems(
  table: BudgetCountersTable,
  scope: BudgetScope,
  first: Counter,
): Promise<[Counter, ...Counter[]]> {
  const items: [Counter, ...Counter[]] = [first];
  for (let shard = 1; shard < first.shards; shard++) {
    const item = await findCounter(table, counterKey(scope, shard));
    if (item?.id === first.id) items.push(item);
  }
  return items;
}

/** Strongly consistent; `null` if the counter was replaced. */
export async function findItemsByKey(
  table: BudgetCountersTable,
  { keys, id }: { keys: readonly string[]; id: string },
): Promise<Counter[] | null> {
  const items: Counter[] = [];
  for (const key of keys) {
    const item = await findCounter(table, key);
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
  counter: Counter,
  { source, records, now }: { source: Source; records: readonly SettlementRecord[]; now: Date },
): Promise<Counter | null> {
  const attribute = watermarkAttribute(source);
  let current = counter;
  let remaining = records.filter((record) => !isEmptySettlement(record));
  for (;;) {
    const watermark = current.item[attribute];
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
    const result = await updateCounter(table, current.key, update.build());
    if (result.counter?.id !== counter.id) return null;
    current = result.counter;
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

/** Without an update: the counter whose condition failed, or `null` if there is none. */
type UpdateResult = { isUpdated: true; counter: Counter } | { isUpdated: false; counter: Counter | null };

export async function updateCounter(
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
    return { isUpdated: true, counter: parseCounter(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const item = error.Item && fromAttributes(error.Item);
    return { isUpdated: false, counter: item ? parseCounter(item) : null };
  }
}

const periodAttributes: PeriodAttribute[] = ['room', 'spent', 'recount', 'notified'];

/**
 * Removes what the counter no longer needs: periods that are over, settled slots, and watermarks of shards that have left
 * the stream. Otherwise the item would grow, and cost a second write unit from 1 kB on.
 */
async function removeExpiredAttributes(
  table: BudgetCountersTable,
  counter: Counter,
  now: Date,
): Promise<Counter> {
  const nowMs = now.getTime();
  const watermarks = expiredWatermarks(counter.item, now);
  const periods = [...counter.periods.keys()].filter((period) => isPeriodOver(period, nowMs));
  const isLost = (slot: number) => isPeriodOver(periodsAt(slotStartMs(slot)).month, nowMs);
  const lostSlots = [...counter.slots.keys()].filter(isLost);
  const settledSlots = [...counter.slots]
    .filter(([slot, usd]) => usd === '0' && isSlotExpired(slot, nowMs) && !isLost(slot))
    .map(([slot]) => slot);
  // An attribute that was updated in the meantime is in use. Nothing updates a period that is over.
  const unused: [attribute: string, value: string | number][] = [
    ...watermarks,
    ...settledSlots.map((slot): [string, number] => [slotAttribute(slot), 0]),
  ];
  const obsolete = [
    ...periods.flatMap((period) => periodAttributes.map((name) => periodAttribute(name, period))),
    ...lostSlots.map(slotAttribute),
  ];
  if (unused.length + obsolete.length === 0) return counter;
  const update = createUpdate(counter.id);
  for (const [attribute, value] of unused) update.require(equals(attribute, value));
  for (const attribute of [...unused.map(([name]) => name), ...obsolete]) update.remove(attribute);
  const result = await updateCounter(table, counter.key, update.build());
  return result.counter ?? counter;
}
