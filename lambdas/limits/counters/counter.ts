/**
 * The counter of the budgets of an organization or an API key: an item of the BudgetCounters table, or several with equal shares
 * of the limits.
 *
 * For each day and month, the item has the remaining budget: limit − spent − pending − leased. A reservation is a single
 * conditional write, since it compares only attributes of the item with the amount. So is the end of a request, which
 * replaces its lease with its cost: pending until the rollup function has counted the log entry, and spent from then on.
 *
 * The item also has the rate limits' state: see `rates/item-rates.ts`.
 *
 * - `id`: distinguishes the counter from earlier ones of the same budgets.
 * - `shards`: the number of items of the counter.
 * - `limit_day`, `limit_month`: the part of the limit that this item has at the start of a period.
 * - `amount_day`, `amount_month`: the amounts of the budgets, hard or not, without division by shards.
 * - `amount_from_ms_day`, `amount_from_ms_month`: when they have last changed.
 * - `room_<period>`: the remaining budget of a period such as `2026-11` or `2026-11-30`; without it, the limit.
 * - `spent_<period>`: the costs that are settled.
 * - `leased_<day>_<bucket>`: what requests in progress have reserved, see `leases.ts`.
 * - `pending_<slot>`: the costs of the requests of ten minutes that have ended and are not counted.
 * - `refused_<period>`: the number of requests that the counter has refused. Of several items, the first has it.
 * - `notified_<period>`: the highest threshold of the amount whose event was sent. Of several items, the first has it.
 * - `recount_from_ms`, `recount_<period>`: during a recount, the part of `spent` that was written since its start.
 * - `recounted_ms`: the start of the last recount. It has included all entries that were written before.
 * - `room_changes`: the number of changes of the remaining budget by the budget function.
 * - watermarks of stream shards.
 */

import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { addUsd, isNegative, type Usd } from '#lambdas/platform/money.ts';
import { endOfPeriod, parsePeriodText, periodText } from '#lambdas/platform/period.ts';
import { type BudgetPeriod, budgetPeriods } from '../budgets/budget.ts';
import { budgetCountersSchema } from '../schema.ts';
import { leasedUsd } from './leases.ts';

/** The limit where there is no hard budget. */
export const unlimitedUsd: Usd = '1000000000000';

/** An item of a counter. */
export interface CounterItem {
  /** The partition key of the item. */
  key: string;
  id: string;
  /** The number of items of the counter. */
  itemCount: number;
  limits: Record<BudgetPeriod, Usd>;
  amounts: Record<BudgetPeriod, Usd | null>;
  /** When they have last changed, in milliseconds since 1970. */
  amountsFromMs: Record<BudgetPeriod, number>;
  /** By the text of the period, such as `2026-11`. */
  periods: ReadonlyMap<string, CounterPeriod>;
  /** The costs of requests that have ended and are not counted, by the number of the slot. */
  pending: ReadonlyMap<number, Usd>;
  /** In milliseconds since 1970; `null` when no recount is in progress. */
  recountFromMs: number | null;
  /** The start of the last recount; 0 before the first has ended. */
  recountedMs: number;
  /** As it is stored. */
  attributes: Item;
}

/** All items of a counter, the first one first. */
export type CounterItems = readonly [CounterItem, ...CounterItem[]];

interface CounterPeriod {
  /** `null` if nothing has been reserved or settled. */
  remainingUsd: Usd | null;
  spentUsd: Usd;
  recountUsd: Usd;
  refusedRequests: number;
  notifiedPercent: number;
}

/** The remaining budget is stored as `room`. */
export const periodAttributes = ['room', 'spent', 'recount', 'refused', 'notified'] as const;
type PeriodAttribute = (typeof periodAttributes)[number];

export function periodAttribute(name: PeriodAttribute, period: string): string {
  return `${name}_${period}`;
}

export function amountValue(usd: Usd): NumberValue {
  return NumberValue.from(usd);
}

const slotMs = 10 * minuteMs;
const pendingPrefix = 'pending_';

/** Pending costs are summed by the ten minutes, in UTC, in which their requests were received. A slot is within a day. */
export function slotOf(timestampMs: number): number {
  return Math.floor(timestampMs / slotMs);
}

export function slotStartMs(slot: number): number {
  return slot * slotMs;
}

export function pendingAttribute(slot: number): string {
  return `${pendingPrefix}${slot}`;
}

/** The day and the month of a time, as in the attributes of a counter. */
export function periodsAt(timestampMs: number): Record<BudgetPeriod, string> {
  return { day: periodText('day', timestampMs), month: periodText('month', timestampMs) };
}

export function kindOfPeriod(period: string): BudgetPeriod {
  return period.length === '2026-11'.length ? 'month' : 'day';
}

/** Exclusive, in milliseconds since 1970. */
export function periodEndMs(period: string): number {
  return endOfPeriod(kindOfPeriod(period), parsePeriodText(period));
}

/** Clocks of machines differ by less. */
const clockSkewMs = minuteMs;

/** The current periods, and those that have begun according to some machine. */
export function periodsBegun(now: Date): Set<string> {
  const nowMs = now.getTime();
  return new Set([nowMs, nowMs + clockSkewMs].flatMap((atMs) => Object.values(periodsAt(atMs))));
}

/** Counters keep a period this long after its end, for the entries of requests that were received before it. */
const periodGraceMs = hourMs;

export function isPeriodOver(period: string, nowMs: number): boolean {
  return periodEndMs(period) + periodGraceMs <= nowMs;
}

/** The periods that a counter may have when a recount starts: the current ones, and those that have just ended. */
export function recountedPeriods(fromMs: number): Set<string> {
  return new Set([fromMs, fromMs - periodGraceMs].flatMap((atMs) => Object.values(periodsAt(atMs))));
}

const periodPattern = /^(room|spent|recount|refused|notified)_(\d{4}-\d{2}(?:-\d{2})?)$/;

/** Throws for an item that is not a counter. */
export function parseCounterItem(item: Item): CounterItem {
  const { [budgetCountersSchema.partitionKey]: key, id, shards, recount_from_ms, recounted_ms } = item;
  if (typeof key !== 'string' || typeof id !== 'string' || typeof shards !== 'number') {
    throw new Error('The item is not a counter of budgets');
  }
  const periods = new Map<string, CounterPeriod>();
  const pending = new Map<number, Usd>();
  for (const [name, value] of Object.entries(item)) {
    const [, attribute, period] = periodPattern.exec(name) ?? [];
    if (name.startsWith(pendingPrefix)) pending.set(Number(name.slice(pendingPrefix.length)), String(value));
    if (attribute === undefined || period === undefined) continue;
    periods.set(period, withAttribute(periods.get(period), attribute as PeriodAttribute, value));
  }
  return {
    key,
    id,
    itemCount: shards,
    periods,
    pending,
    attributes: item,
    limits: { day: String(item.limit_day), month: String(item.limit_month) },
    amounts: { day: amountOf(item, 'day'), month: amountOf(item, 'month') },
    amountsFromMs: {
      day: Number(item.amount_from_ms_day ?? 0),
      month: Number(item.amount_from_ms_month ?? 0),
    },
    recountFromMs: recount_from_ms === undefined ? null : Number(recount_from_ms),
    recountedMs: Number(recounted_ms ?? 0),
  };
}

function amountOf(item: Item, period: BudgetPeriod): Usd | null {
  const amount = item[`amount_${period}`];
  return amount === undefined ? null : String(amount);
}

const newPeriod: CounterPeriod = {
  remainingUsd: null,
  spentUsd: '0',
  recountUsd: '0',
  refusedRequests: 0,
  notifiedPercent: 0,
};

function withAttribute(
  period: CounterPeriod = newPeriod,
  attribute: PeriodAttribute,
  value: unknown,
): CounterPeriod {
  switch (attribute) {
    case 'room':
      return { ...period, remainingUsd: String(value) };
    case 'spent':
      return { ...period, spentUsd: String(value) };
    case 'recount':
      return { ...period, recountUsd: String(value) };
    case 'refused':
      return { ...period, refusedRequests: Number(value) };
    case 'notified':
      return { ...period, notifiedPercent: Number(value) };
    default:
      return attribute satisfies never;
  }
}

export function periodOfCounter({ periods }: CounterItem, period: string): CounterPeriod {
  return periods.get(period) ?? newPeriod;
}

export function remainingOf(item: CounterItem, period: string): Usd {
  return periodOfCounter(item, period).remainingUsd ?? item.limits[kindOfPeriod(period)];
}

/** The sum of what the items have spent in the period. */
export function spentIn(items: readonly CounterItem[], period: string): Usd {
  return items.map((item) => periodOfCounter(item, period).spentUsd).reduce(addUsd, '0');
}

/** True if the remaining budget of one of the periods is negative. */
export function hasDeficit(item: CounterItem, periods: Iterable<string>): boolean {
  return [...periods].some((period) => isNegative(remainingOf(item, period)));
}

/** The amount that is not spent and yet not available: of requests in progress, and of those that are not counted. */
export function reservedUsd({ pending, attributes }: CounterItem, nowMs: number): Usd {
  return [...pending.values()].reduce(addUsd, leasedUsd(attributes, nowMs));
}

/** The periods of any of the items that are not over. */
export function openPeriodsOf(items: readonly CounterItem[], now: Date): Set<string> {
  const periods = items.flatMap((item) => [...item.periods.keys()]);
  return new Set(periods.filter((period) => !isPeriodOver(period, now.getTime())));
}

export function hasHardLimit({ limits }: CounterItem): boolean {
  return budgetPeriods.some((kind) => limits[kind] !== unlimitedUsd);
}
