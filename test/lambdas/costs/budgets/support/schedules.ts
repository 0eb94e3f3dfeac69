/** Random schedules of requests, deliveries and changes of budgets, and what must hold after each step. */
import { expect } from 'vitest';
import type { BudgetPeriod } from '#lambdas/limits/budgets/budget.ts';
import { removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { requestUpdate } from '#lambdas/limits/budgets/store.ts';
import {
  isPeriodOver,
  kindOfPeriod,
  periodOfCounter,
  periodsAt,
  remainingOf,
  slotStartMs,
} from '#lambdas/limits/counters/counter.ts';
import { counterName } from '#lambdas/limits/counters/keys.ts';
import { amountLeasesOf, sumByPeriod } from '#lambdas/limits/counters/leases.ts';
import { addUsd, minUsd, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  type CallFailure,
  type DeliveryOptions,
  deliveredCost,
  type LeaseEnding,
  type SimulatedGateway,
  type SimulatedRequest,
} from './simulated-gateway.ts';

const minuteMs = 60_000;
export const keyCount = 3;

const key = fc.nat({ max: keyCount - 1 });
const logShard = fc.nat({ max: 15 });
const pick = fc.nat();
/** The organization is not less frequent than a key. */
const owner = fc.option(key, { nil: null, freq: 2 });
const period = fc.constantFrom<BudgetPeriod>('day', 'month');
/** In cents, so that sums have few digits. */
const cents = (min: number, max: number) => fc.integer({ min, max }).map((count) => (count / 100).toFixed(2));

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('start'), key, logShard, maxUsd: cents(1, 400) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('burst'),
      requests: fc.array(fc.record({ key, logShard, maxUsd: cents(1, 400) }), { minLength: 2, maxLength: 8 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        kind: fc.constant('finish'),
        pick,
        share: fc.nat({ max: 100 }),
        /** Default: made. */
        ending: fc.constantFrom<LeaseEnding>('made', 'failed', 'lost'),
      },
      { requiredKeys: ['kind', 'pick', 'share'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interrupt'), pick }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        kind: fc.constant('kill'),
        pick,
        /** The percentage of the reservation that is pending as the cost. Default: killed before the end. */
        share: fc.nat({ max: 100 }),
      },
      { requiredKeys: ['kind', 'pick'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('recover'),
      pick,
      share: fc.nat({ max: 100 }),
      failure: fc.oneof(
        { weight: 2, arbitrary: fc.constant<CallFailure>({}) },
        {
          weight: 1,
          arbitrary: fc.record<CallFailure>({ failAtCall: fc.constantFrom(1, 2), takesEffect: fc.boolean() }),
        },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reprice'), pick, share: fc.nat({ max: 150 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('deliver'),
      shard: fc.nat({ max: 1 }),
      count: fc.integer({ min: 1, max: 4 }),
      failure: fc.oneof(
        { weight: 3, arbitrary: fc.constant<DeliveryOptions>({}) },
        {
          weight: 2,
          arbitrary: fc.record<DeliveryOptions>({
            failAtCall: fc.integer({ min: 1, max: 40 }),
            takesEffect: fc.boolean(),
          }),
        },
        { weight: 1, arbitrary: fc.constant<DeliveryOptions>({ failsToSettle: true }) },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance'),
      minutes: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 45 }), fc.integer({ min: 600, max: 1500 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('set'), owner, period, amountUsd: cents(100, 1500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), owner, period }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('scale'), logShards: fc.constantFrom(8, 9, 16, 17) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recount'), owner }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('apply') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause') }) },
);

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Begins with a budget that is in effect, so that most schedules reach it. */
export const schedule = fc.record({
  limits: fc.array(fc.record({ owner, period, amountUsd: cents(100, 1500) }), { maxLength: 3 }),
  /** From an hour before midnight at the end of a month to the middle of a day. */
  startMs: fc.constantFrom(
    Date.UTC(2026, 10, 23, 12),
    Date.UTC(2026, 10, 30, 23, 0),
    Date.UTC(2026, 10, 30, 23, 58),
  ),
  steps: fc.array(step, { minLength: 15, maxLength: 45 }),
});

/** The highest limit that may be in effect; infinite before the first and after a removal. */
type Limits = Map<string, { current: Usd | null; pending: (Usd | null)[] }>;

const limitName = (keyId: string | null, kind: BudgetPeriod) => `${keyId} ${kind}`;

export interface Run {
  gateway: SimulatedGateway;
  limits: Limits;
  /** The change of budgets in progress. */
  applying: { work: Promise<void>; isDone: boolean } | null;
}

export async function runStep(run: Run, step: Step): Promise<void> {
  const { gateway } = run;
  const running = gateway.requests.filter(({ state }) => state === 'running');
  const picked = (index: number) => running[index % Math.max(running.length, 1)];
  switch (step.kind) {
    case 'start':
      await assertWithinLimits(run, [await gateway.start(step)]);
      break;
    case 'burst':
      await assertWithinLimits(run, await Promise.all(step.requests.map(gateway.start)));
      break;
    case 'finish': {
      const request = picked(step.pick);
      if (request !== undefined) {
        await gateway.finish(request, shareOf(request.maxUsd, step.share), { ending: step.ending ?? 'made' });
      }
      break;
    }
    case 'interrupt': {
      const request = picked(step.pick);
      if (request !== undefined) {
        await gateway.finish(request, request.reservation?.usd ?? '0', { outcome: 'interrupted' });
      }
      break;
    }
    case 'kill': {
      const request = picked(step.pick);
      const { share } = step;
      if (request !== undefined) {
        await gateway.kill(request, share === undefined ? share : shareOf(request.maxUsd, share));
      }
      break;
    }
    case 'recover': {
      const killed = gateway.requests.filter(({ state }) => state === 'killed');
      const request = killed[step.pick % Math.max(killed.length, 1)];
      if (request !== undefined) {
        await gateway.recover(request, shareOf(request.maxUsd, step.share), step.failure);
      }
      break;
    }
    case 'reprice': {
      const written = gateway.requests.filter(({ state }) => state === 'written');
      const request = written[step.pick % Math.max(written.length, 1)];
      if (request !== undefined) gateway.reprice(request, shareOf(request.maxUsd, step.share));
      break;
    }
    case 'deliver':
      await gateway.deliver(step.shard, { count: step.count, ...step.failure });
      break;
    case 'advance':
      await advance(run, step.minutes * minuteMs);
      break;
    case 'set':
      await change(run, step.owner, step.period, step.amountUsd);
      break;
    case 'remove':
      await change(run, step.owner, step.period, null);
      break;
    case 'scale':
      await gateway.raiseLogShards(step.logShards);
      await requestUpdate(gateway.budgetTables.directoryTable, scopeOf(gateway, null), { recount: false });
      break;
    case 'recount':
      await requestUpdate(gateway.budgetTables.directoryTable, scopeOf(gateway, step.owner), {
        recount: true,
      });
      break;
    case 'apply':
      startApplying(run);
      break;
    case 'pause':
      await finishApplying(run);
      break;
    default:
      step satisfies never;
  }
}

function shareOf(usd: Usd, percent: number): Usd {
  return String(Number(((Number(usd) * percent) / 100).toFixed(4)));
}

function scopeOf({ organizationId, keyIds }: SimulatedGateway, owner: number | null) {
  return { organizationId, keyId: owner === null ? null : (keyIds[owner] ?? null) };
}

/**
 * A request ends after at most 15 minutes: its function is killed. Records are delivered before they leave the stream: rows
 * and counters do not keep watermarks for longer.
 */
async function advance(run: Run, milliseconds: number): Promise<void> {
  const { gateway, applying } = run;
  const endMs = gateway.clock.nowMs + milliseconds;
  while (gateway.clock.nowMs < endMs) {
    await gateway.idle();
    // Small steps while a change of budgets is in progress, whose steps take seconds.
    const isApplying = applying !== null && !applying.isDone;
    const nextMs = Math.min(gateway.clock.nowMs + (isApplying ? 5000 : 5 * minuteMs), endMs);
    if (nextMs > gateway.firstExpiryMs()) await deliverAll(run);
    gateway.clock.advance(nextMs - gateway.clock.nowMs);
    for (const request of gateway.requests) {
      if (request.state === 'running' && gateway.clock.nowMs - request.receivedAtMs >= 15 * minuteMs)
        await gateway.kill(request);
    }
    // Nothing has happened since: the leases are as if they had been renewed in time.
    await gateway.renew();
    if (isApplying && endMs - gateway.clock.nowMs > 45 * minuteMs) break;
  }
}

async function change(
  run: Run,
  owner: number | null,
  kind: BudgetPeriod,
  amountUsd: Usd | null,
): Promise<void> {
  const { gateway, limits } = run;
  const scope = scopeOf(gateway, owner);
  const name = limitName(scope.keyId, kind);
  const limit = limits.get(name) ?? { current: null, pending: [] };
  limits.set(name, { ...limit, pending: [...limit.pending, amountUsd] });
  const { budgetTables, audit } = gateway;
  if (amountUsd === null) await removeBudget(budgetTables, scope, kind, audit);
  else await setBudget(budgetTables, scope, kind, { amountUsd, hard: true, allowsUnpriced: false }, audit);
}

function startApplying(run: Run): void {
  if (run.applying !== null && !run.applying.isDone) return;
  const applying = { work: Promise.resolve(), isDone: false };
  applying.work = run.gateway.startApplying().finally(() => {
    applying.isDone = true;
  });
  applying.work.catch(() => {});
  run.applying = applying;
}

/** Delivers everything, and applies all changes. */
export async function finishApplying(run: Run): Promise<void> {
  const { gateway } = run;
  await deliverAll(run);
  startApplying(run);
  const { applying } = run;
  if (applying === null) return;
  for (;;) {
    await gateway.idle();
    if (applying.isDone) break;
    await deliverAll(run);
    gateway.clock.advance(1000);
  }
  await applying.work;
  for (const [name, { current, pending }] of run.limits) {
    run.limits.set(name, { current: pending.length === 0 ? current : (pending.at(-1) ?? null), pending: [] });
  }
}

export async function deliverAll({ gateway }: Run): Promise<void> {
  await gateway.deliver(0);
  await gateway.deliver(1);
}

/** The sum of what was spent and is reserved fits into the limits of the requests that were just admitted. */
async function assertWithinLimits(
  { gateway, limits }: Run,
  started: readonly (SimulatedRequest | null)[],
): Promise<void> {
  const keyIds = started.flatMap((request) => (request === null ? [] : [request.apiKey.id]));
  for (const keyId of keyIds.length === 0 ? [] : [null, ...new Set(keyIds)]) {
    const [counter] = await gateway.countersOf(keyId);
    const name = counter === undefined ? null : counterName({ keyId }, counter);
    for (const [kind, text] of Object.entries(periodsAt(gateway.clock.nowMs)) as [BudgetPeriod, string][]) {
      const { current = null, pending = [] } = limits.get(limitName(keyId, kind)) ?? {};
      const possible = [current, ...pending];
      if (possible.includes(null)) continue;
      const limit = possible.reduce((one, other) =>
        toUnits(one ?? '0') > toUnits(other ?? '0') ? one : other,
      );
      const used = gateway.requests
        .filter(
          ({ apiKey, receivedAtMs }) => (keyId === null || apiKey.id === keyId) && isIn(text, receivedAtMs),
        )
        .reduce((sum, request) => addUsd(sum, usedBy(request, name, gateway.clock.nowMs)), '0');
      expect(toUnits(used), `${keyId ?? 'organization'} ${text}: ${used} of ${limit}`).toBeLessThanOrEqual(
        toUnits(limit ?? '0'),
      );
    }
  }
}

function isIn(text: string, timestampMs: number): boolean {
  return new Date(timestampMs).toISOString().startsWith(text);
}

/** The least that the counters can have. */
function usedBy(request: SimulatedRequest, counter: string | null, nowMs: number): Usd {
  return [knownUse(request, counter, nowMs), ...request.uncertainUsd].reduce(minUsd);
}

/** The shortest time after which a lease that is not renewed may be released. */
const minLeaseMs = minuteMs;

/**
 * The cost once it is counted or pending; before, the reservation until it may have been released. Reservations from the counter
 * of a removed budget are unknown to the counter of a later one.
 */
function knownUse(request: SimulatedRequest, counter: string | null, nowMs: number): Usd {
  const { countedUsd, reservation, leasedAtMs, ended, state } = request;
  if (countedUsd !== null) return countedUsd;
  const isReserved = reservation?.counters.some((name) => name.startsWith(`${counter}/`)) ?? false;
  if (!isReserved) return '0';
  if (ended?.isCertain) return ended.costUsd;
  const mayBeReleased = state !== 'running' && nowMs >= leasedAtMs + minLeaseMs;
  if (mayBeReleased) return '0';
  return ended?.costUsd ?? reservation?.usd ?? '0';
}

/** Called when everything is delivered: each item's remaining budget is its limit without what was spent and is reserved. */
export async function assertConsistent({ gateway }: Run): Promise<void> {
  for (const keyId of [null, ...gateway.keyIds]) {
    const counters = await gateway.countersOf(keyId);
    const [first] = counters;
    if (first === undefined) continue;
    const periods = new Set(counters.flatMap((counter) => [...counter.periods.keys()]));
    for (const period of [...periods].filter((text) => !isPeriodOver(text, gateway.clock.nowMs))) {
      const spent = counters.map((counter) => periodOfCounter(counter, period).spentUsd).reduce(addUsd);
      expect([keyId, period, spent]).toEqual([keyId, period, deliveredCost(gateway, keyId, period)]);
      const leased = counters.flatMap(({ attributes }) => amountLeasesOf(attributes, 0));
      const reserved = counters
        .flatMap(({ pending }) => [...pending])
        .filter(([slot]) => isIn(period, slotStartMs(slot)))
        .reduce((sum, [, usd]) => addUsd(sum, usd), sumByPeriod(leased).get(period) ?? '0');
      const limit = counters.map(({ limits }) => limits[kindOfPeriod(period)]).reduce(addUsd);
      const remaining = counters.map((counter) => remainingOf(counter, period));
      expect([keyId, period, remaining.reduce(addUsd)]).toEqual([
        keyId,
        period,
        subtractUsd(limit, addUsd(spent, reserved)),
      ]);
    }
  }
}
