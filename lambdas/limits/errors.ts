/** The errors with which hard budgets and rate limits refuse requests. */

import type { RateLimitName } from '#lambdas/access/rate-limits.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { addUsd, maxUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { BudgetPeriod, BudgetScope } from './budgets/budget.ts';
import { type CounterItem, type CounterItems, periodEndMs, remainingOf } from './counters/counter.ts';
import { amountLeasesOf, sumByPeriod } from './counters/leases.ts';
import type { BudgetRefusal, RateLimitRefusal } from './refusal.ts';

interface Exhaustion {
  scope: BudgetScope;
  kind: BudgetPeriod;
  /** All items of the counter. */
  items: CounterItems;
  /** Such as `2026-11`. */
  period: string;
  /** The amount that could not be reserved. */
  usd: Usd;
  now: Date;
}

const adjectives = { day: 'daily', month: 'monthly' } as const satisfies Record<BudgetPeriod, string>;

/** Requests in progress usually end within some seconds, and return what they have not spent. */
const reservationRetryMs = 10_000;

/** `endMs` is the end of the period, in milliseconds since 1970. */
export function budgetExhaustedError(exhaustion: Exhaustion): {
  error: GatewayError;
  refusal: BudgetRefusal;
  endMs: number;
} {
  const { scope, kind, items, period, usd, now } = exhaustion;
  const endMs = periodEndMs(period);
  const owner = scope.keyId === null ? 'organization' : 'API key';
  const [{ amounts }] = items;
  const amount = amounts[kind];
  const budget = `${adjectives[kind]} budget of the ${owner}${amount === null ? '' : ` (${amount} USD)`}`;
  const unspentUsd = items.map((item) => unspentOf(item, period)).reduce(addUsd);
  const isOnlyReserved = toUnits(unspentUsd) >= toUnits(usd);
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
function limitOf({ kind, items }: Exhaustion): Usd {
  const [{ amounts }] = items;
  return amounts[kind] ?? items.map(({ limits }) => limits[kind]).reduce(addUsd);
}

/** The amount that would remain without the reservations of requests in progress. */
function unspentOf(item: CounterItem, period: string): Usd {
  const leased = sumByPeriod(amountLeasesOf(item.attributes, 0)).get(period) ?? '0';
  return addUsd(remainingOf(item, period), leased);
}

function leftOf({ items, period }: Exhaustion): Usd {
  return maxUsd('0', items.map((item) => remainingOf(item, period)).reduce(addUsd));
}

interface ExceededLimit {
  scope: BudgetScope;
  limit: RateLimitName;
  /** The whole limit, of all items together. */
  value: number;
  /** The assumed tokens of the request. */
  tokens: number;
  retryAfterMs: number;
}

export function rateLimitError({ scope, limit, value, tokens, retryAfterMs }: ExceededLimit): {
  error: GatewayError;
  refusal: RateLimitRefusal;
} {
  const owner = scope.keyId === null ? 'organization' : 'API key';
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const reasons = {
    requests_per_minute: `The ${owner} has reached its limit of ${value} requests per minute`,
    tokens_per_minute: `The ${owner} has too little left of its limit of ${value} tokens per minute for this request, which may take about ${tokens}`,
    concurrent: `The ${owner} has reached its limit of ${value} requests at the same time`,
  } as const satisfies Record<RateLimitName, string>;
  const error = new GatewayError('rate_limit_exceeded', {
    message: `${reasons[limit]}: retry in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });
  const refusal: RateLimitRefusal = {
    by: 'rate_limit',
    owner: scope.keyId === null ? 'organization' : 'api_key',
    api_key_id: scope.keyId,
    limit,
    limit_value: value,
    retry_after_ms: retryAfterMs,
  };
  return { error, refusal };
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
