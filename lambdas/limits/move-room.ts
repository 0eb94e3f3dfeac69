/** Moves room between the items of a counter in transactions, which change no sum. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { isPositive, minUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { type Counter, counterItemKey, roomOf } from './counter.ts';
import { type CounterUpdate, createUpdate } from './counter-update.ts';
import type { BudgetsTable } from './counters-table.ts';

interface RoomShare {
  item: Counter;
  /** The room that the item should get, and could give; neither if not positive. */
  missing: Usd;
  spare: Usd;
}

/** Skips what was reserved in the meantime. */
export async function moveRoom(
  table: BudgetsTable,
  period: string,
  shares: readonly RoomShare[],
): Promise<void> {
  // An item never gives what it does not have.
  const givers = shares.map(({ item, spare }) => ({ item, spare: minUsd(spare, roomOf(item, period)) }));
  for (const receiver of shares.filter(({ missing }) => isPositive(missing))) {
    let { missing } = receiver;
    for (const giver of givers) {
      const usd = minUsd(giver.spare, missing);
      if (!isPositive(usd)) continue;
      giver.spare = subtractUsd(giver.spare, usd);
      const isMoved = await transferRoom(table, period, { from: giver.item, to: receiver.item, usd });
      if (isMoved) missing = subtractUsd(missing, usd);
    }
  }
}

async function transferRoom(
  table: BudgetsTable,
  period: string,
  { from, to, usd }: { from: Counter; to: Counter; usd: Usd },
): Promise<boolean> {
  const taken = createUpdate(from.id);
  taken.takeRoom(period, usd);
  const given = createUpdate(to.id);
  given.addRoom(period, usd);
  return updateTogether(table, [
    [from, taken],
    [to, given],
  ]);
}

/** In one transaction. Resolves to `false` if a condition has failed, or another write is changing an item. */
export async function updateTogether(
  { client, tableName }: BudgetsTable,
  updates: readonly (readonly [Counter, CounterUpdate])[],
): Promise<boolean> {
  const TransactItems = updates.map(([{ key }, update]) => ({
    Update: { TableName: tableName, Key: counterItemKey(key), ...update.build() },
  }));
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}
