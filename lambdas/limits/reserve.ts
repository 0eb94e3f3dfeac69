/**
 * Reserves what a request may cost from the hard budgets that apply to it, before its provider is called.
 *
 * Each counter, of the organization and of the key, takes one conditional write. The log entry carries the reservation, and
 * the rollup function replaces it with the actual cost. What a killed function has reserved stays in the counter until a
 * request would be refused: then reservations of expired slots are released first.
 */
import type { BudgetCounterRef, RequestKey } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { BudgetScope } from './budgets/budget.ts';
import { type CounterItem, hasDeficit, periodsAt, remainingOf } from './counters/counter.ts';
import { counterItemName, counterKey, counterName, firstItemIndex } from './counters/keys.ts';
import {
  type CounterItemRef,
  type ReservationTable,
  releaseReservation,
  reserveAfterRelease,
  reserveFromItem,
} from './counters/reservations.ts';
import { budgetExhaustedError, budgetUnavailableError } from './errors.ts';
import type { BudgetRefusal } from './refusal.ts';

interface ReservationRequest {
  apiKey: RequestKey;
  /** The write shard of the request's log entry. */
  logShard: number;
  receivedAtMs: number;
  usd: Usd;
}

/** As in the log entry: the amount, and the counters that hold it or, without an amount, those that refused it. */
export interface Reservation {
  usd: Usd | null;
  counters: readonly string[];
  /** Set without an amount: the refusal that lasts longest. */
  refusal: BudgetRefusal | null;
}

export interface ReservationResult {
  /** `null` if no budget was reached. */
  reservation: Reservation | null;
  error: GatewayError | null;
}

/** Resolves to an error if a budget refuses the request, or if its counter cannot be written. */
type Reserve = (request: ReservationRequest) => Promise<ReservationResult>;

interface ReservationDependencies extends ReservationTable {
  /** Called when a counter cannot be written, with its organization and, if it is the key's, the key. */
  onFailure(error: unknown, scope: BudgetScope): void;
}

interface HardBudget {
  scope: BudgetScope;
  ref: BudgetCounterRef;
}

export function hardBudgetsOf(apiKey: RequestKey): HardBudget[] {
  const { organization_id: organizationId, organization_budget, key_budget } = apiKey;
  const keyId = apiKey.budget_key_id ?? apiKey.id;
  return [
    ...(organization_budget ? [{ scope: { organizationId, keyId: null }, ref: organization_budget }] : []),
    ...(key_budget ? [{ scope: { organizationId, keyId }, ref: key_budget }] : []),
  ];
}

export function createReserve(dependencies: ReservationDependencies): Reserve {
  return async (request) => {
    // It cannot exceed a limit, even if there is nothing left.
    if (toUnits(request.usd) === 0n)
      return { reservation: { usd: '0', counters: [], refusal: null }, error: null };
    const attempts = await Promise.all(
      hardBudgetsOf(request.apiKey).map((budget) => reserveFrom(dependencies, request, budget)),
    );
    const reserved = attempts.filter((attempt) => attempt.kind === 'reserved');
    // The refusal that lasts longer comes first.
    const refusals = attempts
      .filter((attempt) => attempt.kind === 'refused')
      .sort((one, other) => other.endMs - one.endMs);
    const [refusal] = refusals;
    const failed = attempts.some(({ kind }) => kind === 'failed');
    if (refusal === undefined && !failed) {
      const counters = reserved.map(({ name }) => name);
      return { reservation: { usd: request.usd, counters, refusal: null }, error: null };
    }
    await Promise.all(reserved.map(({ scope, ref }) => releaseSafely(dependencies, request, scope, ref)));
    if (refusal === undefined) return { reservation: null, error: budgetUnavailableError() };
    return {
      reservation: { usd: null, counters: refusals.map(({ name }) => name), refusal: refusal.refusal },
      error: refusal.error,
    };
  };
}

type Attempt =
  | { kind: 'reserved'; name: string; scope: BudgetScope; ref: CounterItemRef }
  | { kind: 'refused'; name: string; endMs: number; error: GatewayError; refusal: BudgetRefusal }
  | { kind: 'failed' };

/**
 * Tries the other items of the counter if the first refuses, then again once lost reservations are released. If another item
 * is negative, their amount belongs to it, and only the rollup function can move it there: it does so when it counts the log
 * entry of the refused request.
 */
async function reserveFrom(
  dependencies: ReservationDependencies,
  request: ReservationRequest,
  { scope, ref }: HardBudget,
): Promise<Attempt> {
  const amount = { usd: request.usd, atMs: request.receivedAtMs };
  const first = firstItemIndex(request.logShard, ref.shards);
  const refusals: { index: number; ref: CounterItemRef; item: CounterItem }[] = [];
  const reservedIn = (index: number, itemRef: CounterItemRef): Attempt => ({
    kind: 'reserved',
    name: counterItemName(scope, ref, index),
    scope,
    ref: itemRef,
  });
  try {
    for (let tried = 0; tried < ref.shards; tried++) {
      const index = (first + tried) % ref.shards;
      const itemRef = { itemKey: counterKey(scope, index), id: ref.id };
      const item = await reserveFromItem(dependencies, itemRef, amount);
      if (item === null) return reservedIn(index, itemRef);
      refusals.push({ index, ref: itemRef, item });
    }
    const periods = Object.values(periodsAt(request.receivedAtMs));
    for (const refusal of refusals) {
      const others = refusals.filter((other) => other !== refusal);
      if (others.some(({ item }) => hasDeficit(item, periods))) continue;
      const next = await reserveAfterRelease(dependencies, refusal.ref, refusal.item, amount);
      if (next === null) return reservedIn(refusal.index, refusal.ref);
      refusal.item = next;
    }
  } catch (error) {
    dependencies.onFailure(error, scope);
    return { kind: 'failed' };
  }
  const items = refusals.map(({ item }) => item);
  return refusalOf(request, scope, items, dependencies.now());
}

function refusalOf(
  { usd, receivedAtMs }: ReservationRequest,
  scope: BudgetScope,
  items: readonly CounterItem[],
  now: Date,
): Attempt {
  const counter = items.at(-1);
  if (counter === undefined) return { kind: 'failed' };
  const periods = periodsAt(receivedAtMs);
  // The month comes first: a request that both refuse has to wait for its end.
  const fitsMonth = toUnits(remainingOf(counter, periods.month)) >= toUnits(usd);
  const kind = fitsMonth ? 'day' : 'month';
  const period = periods[kind];
  const refusal = budgetExhaustedError({ scope, kind, counter, items, period, usd, now });
  return { kind: 'refused', name: `${counterName(scope, counter)}/${period}`, ...refusal };
}

/** A reservation whose release fails is lost, like that of a killed function. */
async function releaseSafely(
  dependencies: ReservationDependencies,
  { usd, receivedAtMs }: ReservationRequest,
  scope: BudgetScope,
  item: CounterItemRef,
): Promise<void> {
  try {
    await releaseReservation(dependencies, item, { usd, atMs: receivedAtMs });
  } catch (error) {
    dependencies.onFailure(error, scope);
  }
}
