/** The writes with which a request in progress renews and ends what it holds in an item. */
import { type ConditionalUpdate, compares } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { activeTotal, type BucketName, bucketAttributes, bucketNames } from '../rates/item-rates.ts';
import { amountValue, pendingAttribute, periodsAt, slotOf } from './counter.ts';
import { type ItemTable, updateItemIf } from './item-writes.ts';
import { activeAttribute, leaseBucketAt, leasedAttribute } from './leases.ts';
import { type CounterUpdate, createUpdate } from './update.ts';

/** The reservation and the place of a request in an item. */
export interface ItemLease {
  itemKey: string;
  /** The reserved amount; `null` if nothing is reserved. */
  budget: { counterId: string; usd: Usd } | null;
  /** Whether the request counts as concurrent. */
  isCounted: boolean;
  /** When the request was received, in milliseconds since 1970. */
  receivedAtMs: number;
  /** The bucket with the lease. Changed by a renewal. */
  bucket: number;
}

export interface LeaseEnd {
  /** The cost of the request; 0 returns the whole reservation. */
  costUsd: Usd;
  /** Corrects what was taken of the rates, in microseconds. */
  correctionsUs: Readonly<Partial<Record<BucketName, number>>>;
}

/** The parts of a lease that are in its bucket: the others were released after it had expired. */
interface Held {
  amount: boolean;
  count: boolean;
}

/** Limits all attempts together. */
const timeoutMs = 2000;
const maxAttempts = 3;

/**
 * Replaces the lease with the cost, which is pending until the log entry is counted. Rejects when it is not certain that the
 * write was made: what remains of the lease then expires.
 */
export function endLease(table: ItemTable, lease: ItemLease, end: LeaseEnd): Promise<void> {
  // Without retries after a lost response: twice would return what other requests have reserved.
  return writeHeld(table, lease, (held) => endUpdate(lease, held, end));
}

/** Moves the lease to a bucket that expires later. A lease that was released is taken again, whatever remains. */
export async function renewLease(table: ItemTable, lease: ItemLease): Promise<void> {
  const bucket = leaseBucketAt(table.now().getTime());
  if (bucket <= lease.bucket) return;
  // After a lost response, the earlier bucket counts: at worst, the request holds its reservation twice until one expires.
  await writeHeld(table, lease, (held) => renewalUpdate(lease, held, bucket));
  lease.bucket = bucket;
}

async function writeHeld(
  table: ItemTable,
  lease: ItemLease,
  update: (held: Held) => ConditionalUpdate,
): Promise<void> {
  let held: Held = { amount: lease.budget !== null, count: lease.isCounted };
  const deadlineMs = table.now().getTime() + timeoutMs;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const write = update(held);
    if (write.UpdateExpression === '') return;
    const { isWritten, item } = await updateItemIf(table, lease.itemKey, write, {
      timeoutMs: Math.max(1, deadlineMs - table.now().getTime()),
      retries: 'throttled',
    });
    // After the removal of the budget, there is nothing to renew or to end.
    const isMissing =
      lease.budget === null ? Object.keys(item).length === 0 : item.id !== lease.budget.counterId;
    if (isWritten || isMissing) return;
    held = heldIn(item, lease);
  }
  throw new Error(`The lease in ${lease.itemKey} was changed ${maxAttempts} times meanwhile`);
}

function heldIn(item: Item, lease: ItemLease): Held {
  const leased = String(item[amountAttribute(lease, lease.bucket)] ?? '0');
  return {
    amount: lease.budget !== null && toUnits(leased) >= toUnits(lease.budget.usd),
    count: lease.isCounted && Number(item[activeAttribute(lease.bucket)] ?? 0) >= 1,
  };
}

function amountAttribute({ receivedAtMs }: ItemLease, bucket: number): string {
  return leasedAttribute(periodsAt(receivedAtMs).day, bucket);
}

/** Takes the parts that are held out of their bucket. */
function takeHeld(update: CounterUpdate, lease: ItemLease, held: Held): void {
  const { budget, bucket } = lease;
  if (budget !== null && held.amount) {
    update.require(compares(amountAttribute(lease, bucket), '>=', amountValue(budget.usd)));
    update.add(amountAttribute(lease, bucket), subtractUsd('0', budget.usd));
  }
  if (held.count) {
    update.require(compares(activeAttribute(bucket), '>=', 1));
    update.add(activeAttribute(bucket), '-1');
  }
}

function endUpdate(lease: ItemLease, held: Held, { costUsd, correctionsUs }: LeaseEnd): ConditionalUpdate {
  const { budget, receivedAtMs } = lease;
  const update = createUpdate(budget?.counterId ?? null);
  takeHeld(update, lease, held);
  if (budget !== null) {
    // A released amount is available already: only the cost is taken.
    const returned = subtractUsd(held.amount ? budget.usd : '0', costUsd);
    for (const period of Object.values(periodsAt(receivedAtMs))) {
      if (returned !== '0') update.addRemaining(period, returned);
    }
    if (costUsd !== '0') update.add(pendingAttribute(slotOf(receivedAtMs)), costUsd);
  }
  if (held.count) update.add(activeTotal, '-1');
  for (const name of bucketNames) {
    const us = correctionsUs[name] ?? 0;
    if (us !== 0) update.add(bucketAttributes[name], String(us));
  }
  return update.build();
}

function renewalUpdate(lease: ItemLease, held: Held, bucket: number): ConditionalUpdate {
  const { budget, isCounted, receivedAtMs } = lease;
  const update = createUpdate(budget?.counterId ?? null);
  takeHeld(update, lease, held);
  if (budget !== null) {
    update.add(amountAttribute(lease, bucket), budget.usd);
    if (!held.amount) {
      for (const period of Object.values(periodsAt(receivedAtMs))) {
        update.addRemaining(period, subtractUsd('0', budget.usd));
      }
    }
  }
  if (isCounted) {
    update.add(activeAttribute(bucket), '1');
    if (!held.count) update.add(activeTotal, '1');
  }
  return update.build();
}
