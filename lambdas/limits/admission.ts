/**
 * Admits a request to the hard budgets and rate limits that apply to it, before its provider is called.
 *
 * Organization and key have an item each, or several, and each takes one conditional write. Budgets fail closed: without the
 * write, the request is refused. Rate limits alone fail open.
 */

import { type BudgetCounterRef, hasHardBudget, type RequestKey } from '#lambdas/access/directory.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { addUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { BudgetScope } from './budgets/budget.ts';
import { type Admission, type AdmissionTable, admit } from './counters/admit.ts';
import { type CounterItem, periodsAt, remainingOf } from './counters/counter.ts';
import type { ItemTable } from './counters/item-writes.ts';
import { counterItemName, counterName } from './counters/keys.ts';
import type { OwnerDemand } from './counters/shares.ts';
import { budgetExhaustedError, budgetUnavailableError, rateLimitError } from './errors.ts';
import { noRateStates, type RateStates, rateStatesOf, tightestOf } from './rates/rate-states.ts';
import { createRecentRefusals, type RecentRefusals } from './rates/recent-refusals.ts';
import type { Refusal } from './refusal.ts';
import { createRequestLease, type HeldItem, type LimitFailure, type RequestLease } from './request-lease.ts';

interface AdmissionRequest {
  apiKey: RequestKey;
  /** The write shard of the request's log entry. */
  logShard: number;
  receivedAtMs: number;
  /** The maximum cost of the request; 0 reserves nothing. Only for keys with a hard budget. */
  usd: Usd;
  /** The assumed number of tokens, for keys with a limit of tokens per minute. */
  tokens: number;
  /** For a further attempt of a request that the rate limits have admitted. Default: false. */
  budgetsOnly?: boolean;
}

/** As in the log entry: the amount, and the counters that hold it or, without an amount, those that refused it. */
export interface Reservation {
  usd: Usd | null;
  counters: readonly string[];
}

export interface AdmissionResult {
  /** `null` if no budget was reached. */
  reservation: Reservation | null;
  /** Holds the reservation and the place of the request until it ends; `null` for nothing. */
  lease: RequestLease | null;
  /** The state of the rate limits, for the response's headers. */
  rates: RateStates;
  /** The refusal that lasts longest. */
  refusal: Refusal | null;
  error: GatewayError | null;
}

/** Resolves to an error if a limit refuses the request, or if a budget's counter cannot be written. */
type Admit = (request: AdmissionRequest) => Promise<AdmissionResult>;

export interface AdmissionDependencies extends ItemTable {
  /** Called when an item cannot be written. */
  onFailure(error: unknown, scope: BudgetScope, effect: LimitFailure): void;
}

interface LimitedOwner {
  scope: BudgetScope;
  ref: BudgetCounterRef | null;
  limits: RateLimits | null;
}

/** The organization and the key, if they have a hard budget or rate limits. */
export function limitedOwnersOf(apiKey: RequestKey): LimitedOwner[] {
  const { organization_id: organizationId } = apiKey;
  const owners = [
    {
      scope: { organizationId, keyId: null },
      ref: apiKey.organization_budget ?? null,
      limits: apiKey.organization_rate_limits ?? null,
    },
    {
      scope: { organizationId, keyId: apiKey.budget_key_id ?? apiKey.id },
      ref: apiKey.key_budget ?? null,
      limits: apiKey.key_rate_limits ?? null,
    },
  ];
  return owners.filter(({ ref, limits }) => ref !== null || limits !== null);
}

export function createAdmit(dependencies: AdmissionDependencies): Admit {
  const memory = { recent: createRecentRefusals(), table: { ...dependencies, knownBuckets: new Map() } };
  return async (request) => {
    const attempts = await attemptAll(dependencies, memory, request);
    const refused = attempts.filter((attempt) => attempt.kind === 'refused').sort(lastingLongestFirst);
    const held = attempts.flatMap((attempt) => (attempt.kind === 'admitted' ? [attempt.held] : []));
    const rates = tightestOf(attempts.flatMap((attempt) => ('states' in attempt ? [attempt.states] : [])));
    const lease = createRequestLease(dependencies, held);
    const [first] = refused;
    if (first !== undefined || attempts.some(({ kind }) => kind === 'failed')) {
      await lease?.cancel();
      const refusing = refused.flatMap(({ counter }) => counter ?? []);
      const reservation = refusing.length === 0 ? null : { usd: null, counters: refusing };
      const error = first?.error ?? budgetUnavailableError();
      return { reservation, lease: null, rates, refusal: first?.refusal ?? null, error };
    }
    const counters = held.flatMap(({ counter }) => counter ?? []);
    const reservation = hasHardBudget(request.apiKey) ? { usd: request.usd, counters } : null;
    return { reservation, lease, rates, refusal: null, error: null };
  };
}

type Attempt =
  | { kind: 'admitted'; held: HeldItem; states: RateStates }
  | RefusedAttempt
  /** The budget cannot be checked. */
  | { kind: 'failed' }
  /** The rate limits cannot be checked. */
  | { kind: 'not limited' };

interface RefusedAttempt {
  kind: 'refused';
  error: GatewayError;
  refusal: Refusal;
  states: RateStates;
  /** The counter that has refused the request, with the period, for its log entry; `null` for a rate limit. */
  counter: string | null;
  /** When the request would be admitted, in milliseconds since 1970. */
  endMs: number;
}

/** A request that two budgets refuse has to wait for the end of both, and a rate limit admits it soon. */
function lastingLongestFirst(one: RefusedAttempt, other: RefusedAttempt): number {
  const rank = ({ refusal }: RefusedAttempt) => (refusal.by === 'budget' ? 1 : 0);
  return rank(other) - rank(one) || other.endMs - one.endMs;
}

/** Nothing is written while a recent refusal of one of the owners is in effect. */
async function attemptAll(
  { now, onFailure }: AdmissionDependencies,
  { recent, table }: { recent: RecentRefusals; table: AdmissionTable },
  request: AdmissionRequest,
): Promise<Attempt[]> {
  const demands = demandsOf(request);
  for (const demand of demands) {
    const refusal = recent.find(demand, now().getTime());
    if (refusal !== null) return [refusedByRate(demand, refusal, now())];
  }
  return Promise.all(
    demands.map(async (demand) => {
      try {
        const admission = await admit(table, demand);
        if (admission.kind === 'rate limit') recent.add(demand, admission, now().getTime());
        return toAttempt(demand, admission, now());
      } catch (error) {
        const isBudgeted = demand.budget !== null;
        onFailure(error, demand.scope, isBudgeted ? 'refused' : 'not limited');
        return { kind: isBudgeted ? 'failed' : 'not limited' };
      }
    }),
  );
}

/** A request that costs nothing cannot exceed a budget, even if there is nothing left. */
function demandsOf({
  apiKey,
  logShard,
  receivedAtMs,
  usd,
  tokens,
  budgetsOnly = false,
}: AdmissionRequest): OwnerDemand[] {
  const isFree = toUnits(usd) === 0n;
  return limitedOwnersOf(apiKey)
    .map(({ scope, ref, limits }) => {
      const budget = ref === null || isFree ? null : { ref, usd };
      return {
        scope,
        budget,
        limits: budgetsOnly ? null : limits,
        tokens,
        logShard,
        logShards: apiKey.log_shards,
        receivedAtMs,
      };
    })
    .filter(({ budget, limits }) => budget !== null || limits !== null);
}

function toAttempt(demand: OwnerDemand, admission: Admission, now: Date): Attempt {
  switch (admission.kind) {
    case 'admitted': {
      const { scope, budget, limits } = demand;
      const { lease, share, item } = admission;
      const counter = budget && counterItemName(scope, budget.ref, share.index);
      const states = rateStatesOf(limits, item, now.getTime());
      return { kind: 'admitted', held: { scope, lease, share, counter }, states };
    }
    case 'rate limit':
      return refusedByRate(demand, admission, now);
    case 'budget':
      return refusedByBudget(demand, admission.items, now);
    default:
      return admission satisfies never;
  }
}

function refusedByRate(
  { scope, tokens }: OwnerDemand,
  { reason: { limit, retryAfterMs }, limits, item }: Extract<Admission, { kind: 'rate limit' }>,
  now: Date,
): RefusedAttempt {
  const value = limits[limit] ?? 0;
  return {
    kind: 'refused',
    ...rateLimitError({ scope, limit, value, tokens, retryAfterMs }),
    states: rateStatesOf(limits, item, now.getTime()),
    counter: null,
    endMs: now.getTime() + retryAfterMs,
  };
}

function refusedByBudget(
  { scope, budget, receivedAtMs }: OwnerDemand,
  items: readonly CounterItem[],
  now: Date,
): Attempt {
  const [first, ...others] = items;
  if (first === undefined || budget === null) return { kind: 'failed' };
  const { usd, ref } = budget;
  const periods = periodsAt(receivedAtMs);
  // The month comes first: a request that both refuse has to wait for its end.
  const left = items.map((item) => remainingOf(item, periods.month)).reduce(addUsd, '0');
  const kind = toUnits(left) >= toUnits(usd) ? 'day' : 'month';
  const period = periods[kind];
  return {
    kind: 'refused',
    ...budgetExhaustedError({ scope, kind, items: [first, ...others], period, usd, now }),
    states: noRateStates,
    counter: `${counterName(scope, ref)}/${period}`,
  };
}
