/** The errors with which hard budgets refuse requests. */
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { addUsd, maxUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { BudgetPeriod, BudgetScope } from './budgets/budget.ts';
import { type CounterItem, periodEndMs, periodOfCounter, remainingOf } from './counters/counter.ts';
import type { BudgetRefusal } from './refusal.ts';

interface Exhaustion {
  scope: BudgetScope;
  kind: BudgetPeriod;
  /** The last item of the counter that was tried. */
  counter: CounterItem;
  /** All items of the counter. */
  items: readonly CounterItem[];
  /** Such as `2026-11`. */
  period: string;
  /** The amount that could not be reserved. */
  usd: Usd;
  now: Date;
}

const adjectives = { day: 'daily', month: 'monthly' } as const satisfies Record<BudgetPeriod, string>;

/** Reservations are usually settled some seconds after their requests have ended. */
const reservationRetryMs = 10_000;

/** `endMs` is the end of the period, in milliseconds since 1970. */
export function budgetExhaustedError(exhaustion: Exhaustion): {
  error: GatewayError;
  refusal: BudgetRefusal;
  endMs: number;
} {
  const { scope, kind, counter, period, usd, now } = exhaustion;
  const endMs = periodEndMs(period);
  const owner = scope.keyId === null ? 'organization' : 'API key';
  const amount = counter.amounts[kind];
  const budget = `${adjectives[kind]} budget of the ${owner}${amount === null ? '' : ` (${amount} USD)`}`;
  const { spentUsd } = periodOfCounter(counter, period);
  const isOnlyReserved = toUnits(counter.limits[kind]) - toUnits(spentUsd) >= toUnits(usd);
  const reason = isOnlyReserved ? ', since other requests have reserved the rest,' : '';
  const retryAfterMs = isOnlyReserved ? reservationRetryMs : endMs - now.getTime();
  const error = new GatewayError('insufficient_quota', {
    message: `The ${budget} has too little left${reason} for this request, which may cost up to ${usd} USD. It starts anew at ${new Date(endMs).toISOString()}; a lower limit of output tokens reserves less.`,
    headers: {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
      // OpenAI's libraries would otherwise retry each 429.
      'x-should-retry': 'false',
    },
  });
  const refusal: BudgetRefusal = {
    by: 'budget',
    owner: scope.keyId === null ? 'organization' : 'api_key',
    api_key_id: scope.keyId,
    period: kind,
    limit_usd: limitOf(exhaustion),
    needed_usd: usd,
    left_usd: leftOf(exhaustion),
    resets_at: new Date(endMs).toISOString(),
    reserved_by_others: isOnlyReserved,
  };
  return { error, refusal, endMs };
}

/** A counter has limits before it has amounts. */
function limitOf({ kind, counter, items }: Exhaustion): Usd {
  return counter.amounts[kind] ?? items.map(({ limits }) => limits[kind]).reduce(addUsd);
}

/** A request reserves from one item. Those with enough for this one have refused it because of their other period. */
function leftOf({ items, period, usd }: Exhaustion): Usd {
  const remaining = items.map((item) => remainingOf(item, period));
  return remaining.filter((left) => toUnits(left) < toUnits(usd)).reduce(maxUsd, '0');
}

/** A hard budget refuses all requests while its counter cannot be written, or the prices cannot be read. */
export function budgetUnavailableError(): GatewayError {
  return new GatewayError('service_unavailable', {
    message: 'The budget of this request cannot be checked at the moment: retry it',
    headers: { 'retry-after': '1' },
  });
}

export function modelNotPricedError(model: string): GatewayError {
  return new GatewayError('model_not_priced', {
    param: 'model',
    message: `The model ${model} has no known price, which a hard budget of this API key requires: set one with "admin price set", or allow models without a price in the budget`,
  });
}

/** The estimate of a request considers each value that its provider may read, but not any number of them. */
export function tooManyTiersError(count: number): GatewayError {
  const message = `service_tier is given with ${count} different values: give it once, since the API key has a hard budget`;
  return invalidRequestError('service_tier', message);
}
