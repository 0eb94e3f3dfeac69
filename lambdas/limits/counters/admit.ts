/** Admits a request to the budgets and rate limits of one owner: its organization or its API key. */
import { setTimeout as wait } from 'node:timers/promises';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { setAsNewest } from '#lambdas/platform/ttl-cache.ts';
import {
  expectedForms,
  expiredCountsOf,
  formsOf,
  type KnownBuckets,
  knownAfter,
  type RateDemand,
  type RateRefusalReason,
  rateRefusalOf,
} from '../rates/item-rates.ts';
import { admissionUpdate, type BudgetTake, type ItemAdmission } from './admission-update.ts';
import { type CounterItem, parseCounterItem, periodsAt } from './counter.ts';
import { CounterMissingError, type ItemTable, updateItemIf } from './item-writes.ts';
import { counterItemKey, counterKey } from './keys.ts';
import type { ItemLease } from './lease-writes.ts';
import { leaseBucketAt } from './leases.ts';
import { type ItemShare, type OwnerDemand, sharesOf } from './shares.ts';
import { planTakes, simpleTake, type Take } from './take.ts';

export type Admission =
  | { kind: 'admitted'; lease: ItemLease; share: ItemShare; item: Item }
  /** All items of the counter together have too little, also without killed functions. */
  | { kind: 'budget'; items: CounterItem[] }
  | { kind: 'rate limit'; reason: RateRefusalReason; limits: RateLimits; item: Item };

const maxKnownItems = 10_000;

export interface AdmissionTable extends ItemTable {
  /** By item, as of the last write of this process: in a steady state, the next write succeeds at once. */
  knownBuckets: Map<string, KnownBuckets>;
}

/** Other requests have changed the items between all reads and writes. */
class ContentionError extends Error {
  override name = 'ContentionError';
}

const maxAttempts = 6;

/**
 * A transaction fails whenever another request changes one of its items meanwhile. After a few attempts it pauses, so that
 * parallel requests do not keep each other from what is left of a divided counter.
 */
const maxTransactions = 20;
const immediateTransactions = 4;
const maxPauseMs = 100;

/** Limits all calls together. */
const budgetTimeoutMs = 2000;
/** Without a budget, the request goes on when the time is over. */
const rateTimeoutMs = 500;

/**
 * Takes one write if the first item has enough. Otherwise the request tries the others, and then takes its reservation from
 * several items. Rejects when the counter is missing or cannot be written.
 */
export async function admit(table: AdmissionTable, demand: OwnerDemand): Promise<Admission> {
  const { budget, limits } = demand;
  const deadlineMs = table.now().getTime() + (budget === null ? rateTimeoutMs : budgetTimeoutMs);
  const remainingMs = () => Math.max(1, deadlineMs - table.now().getTime());
  const refusals: { share: ItemShare; refusal: ItemRefusal }[] = [];
  for (const share of sharesOf(demand)) {
    const result = await admitToItem(table, demand, { share, remainingMs });
    if ('admitted' in result) return { kind: 'admitted', share, ...result.admitted };
    refusals.push({ share, refusal: result });
  }
  const withoutBudget = refusals.find(({ refusal }) => refusal.reason === null);
  if (withoutBudget !== undefined && budget !== null) {
    const { share, refusal } = withoutBudget;
    if (share.itemCount === 1) return { kind: 'budget', items: [parseCounterItem(refusal.item)] };
    return admitFromAll(table, { ...demand, budget }, { share, remainingMs });
  }
  const [first, ...others] = refusals.flatMap(({ refusal: { reason, item } }) =>
    reason === null || limits === null ? [] : { kind: 'rate limit' as const, reason, limits, item },
  );
  if (first === undefined) throw new Error('A limit is at least 1');
  return others.reduce(
    (one, other) => (other.reason.retryAfterMs < one.reason.retryAfterMs ? other : one),
    first,
  );
}

interface ItemAttempt {
  share: ItemShare;
  remainingMs(): number;
}

interface Admitted {
  lease: ItemLease;
  /** The changed attributes of rate limits. */
  item: Item;
}

interface ItemRefusal {
  /** `null` if the budget has too little. */
  reason: RateRefusalReason | null;
  item: Item;
}

async function admitToItem(
  table: AdmissionTable,
  demand: OwnerDemand,
  { share, remainingMs }: ItemAttempt,
): Promise<{ admitted: Admitted } | ItemRefusal> {
  const { budget, receivedAtMs } = demand;
  let take = budget && simpleTake({ usd: budget.usd, atMs: receivedAtMs });
  const before = table.knownBuckets.get(share.itemKey);
  let forms = expectedForms(before, table.now().getTime());
  let expiredCounts: ItemAdmission['expiredCounts'] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const nowMs = table.now().getTime();
    const admission = { budget: toBudgetTake(demand, take), rates: share.rates, forms, expiredCounts };
    const { isWritten, item } = await updateItemIf(table, share.itemKey, admissionUpdate(admission, nowMs), {
      timeoutMs: remainingMs(),
      returnsChanges: demand.limits !== null,
    });
    if (!isWritten) forms = formsOf(item, nowMs);
    if (demand.limits !== null) {
      const known = knownAfter(item, forms, { before, nowMs });
      setAsNewest(table.knownBuckets, share.itemKey, known, maxKnownItems);
    }
    if (isWritten) return { admitted: { lease: leaseOf(demand, share, nowMs), item } };
    if (budget !== null && item.id !== budget.ref.id) throw new CounterMissingError(share.itemKey);
    const reason = rateRefusalOf(item, share.rates, nowMs);
    if (reason !== null) return { reason, item };
    expiredCounts = share.rates.concurrent === null ? [] : expiredCountsOf(item, nowMs);
    if (budget === null) continue;
    const counter = parseCounterItem(item);
    // The amounts that killed functions hold in an item can be missing in another one, which owes them.
    const releasesLeases = share.itemCount === 1;
    const reserved = { usd: budget.usd, atMs: receivedAtMs };
    take = planTakes([counter], reserved, releasesLeases ? nowMs : beforeAnyExpiry)?.get(counter) ?? null;
    if (take === null) return { reason: null, item };
  }
  throw new ContentionError();
}

interface BudgetDemand extends OwnerDemand {
  budget: NonNullable<OwnerDemand['budget']>;
}

/** No item alone has enough: takes the rest from the others, in one transaction. */
async function admitFromAll(
  table: AdmissionTable,
  demand: BudgetDemand,
  { share, remainingMs }: ItemAttempt,
): Promise<Admission> {
  const { scope, budget, limits, receivedAtMs } = demand;
  const order = Array.from(
    { length: share.itemCount },
    (_, place) => (share.index + place) % share.itemCount,
  );
  for (let attempt = 1; attempt <= maxTransactions; attempt++) {
    const keys = order.map((index) => counterKey(scope, index));
    const items = await Promise.all(keys.map((key) => readCounter(table, key, budget.ref.id, remainingMs())));
    const [target] = items;
    const nowMs = table.now().getTime();
    const takes = planTakes(items, { usd: budget.usd, atMs: receivedAtMs }, nowMs);
    if (target === undefined || takes === null) return { kind: 'budget', items };
    const reason = rateRefusalOf(target.attributes, share.rates, nowMs);
    if (reason !== null && limits !== null)
      return { kind: 'rate limit', reason, limits, item: target.attributes };
    const updates = [...takes].map(([item, take]) => {
      const { UpdateExpression, ...condition } = admissionUpdate(
        {
          budget: toBudgetTake(demand, take),
          rates: item === target ? share.rates : noRates,
          forms: formsOf(item.attributes, nowMs),
          expiredCounts: expiredCountsOf(item.attributes, nowMs),
        },
        nowMs,
      );
      return { key: counterItemKey(item.key), UpdateExpression, condition };
    });
    if (await table.calls.updateTogether(table.tableName, updates, remainingMs())) {
      return { kind: 'admitted', share, lease: leaseOf(demand, share, nowMs), item: target.attributes };
    }
    // Full jitter.
    if (attempt >= immediateTransactions)
      await wait(Math.random() * Math.min(maxPauseMs, 2 ** attempt, remainingMs()));
  }
  throw new ContentionError();
}

/** A time at which no lease has expired. */
const beforeAnyExpiry = 0;

const noRates: RateDemand = { chargesUs: {}, concurrent: null };

async function readCounter(
  { calls, tableName }: ItemTable,
  key: string,
  id: string,
  timeoutMs: number,
): Promise<CounterItem> {
  const item = await calls.get(tableName, counterItemKey(key), timeoutMs);
  if (item?.id !== id) throw new CounterMissingError(key);
  return parseCounterItem(item);
}

function toBudgetTake({ budget, receivedAtMs }: OwnerDemand, take: Take | null): BudgetTake | null {
  if (budget === null || take === null) return null;
  return { ...take, id: budget.ref.id, day: periodsAt(receivedAtMs).day };
}

function leaseOf({ budget, receivedAtMs }: OwnerDemand, share: ItemShare, nowMs: number): ItemLease {
  return {
    itemKey: share.itemKey,
    budget: budget && { counterId: budget.ref.id, usd: budget.usd },
    isCounted: share.rates.concurrent !== null,
    receivedAtMs,
    bucket: leaseBucketAt(nowMs),
  };
}
