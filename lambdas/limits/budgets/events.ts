/** Events at the thresholds of budgets: each once for a budget, period and amount, delivered at least once. */
import type { EventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { comparesIfExists, equals } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import {
  amountValue,
  type CounterItem,
  type CounterItems,
  isPeriodOver,
  kindOfPeriod,
  periodAttribute,
  periodEndMs,
  periodOfCounter,
  spentIn,
} from '../counters/counter.ts';
import { counterName } from '../counters/keys.ts';
import { type BudgetCountersTable, updateCounterItem } from '../counters/table.ts';
import { createUpdate } from '../counters/update.ts';
import { type BudgetScope, type BudgetThreshold, budgetThresholds, isSpent } from './budget.ts';

/**
 * The detail of an EventBridge event with the source `ai-gateway` and the type `Budget Threshold Reached`. A `stack` comes
 * before it.
 */
export interface BudgetEvent {
  /** The same in every delivery. */
  id: string;
  organization_id: string;
  /** `null` for the budget of the organization. */
  api_key_id: string | null;
  period: 'day' | 'month';
  /** RFC 3339; the end is exclusive. */
  period_start: string;
  period_end: string;
  /** Percent of the amount. 100 also means that a hard budget has refused a request after 80 % was spent. */
  threshold: BudgetThreshold;
  /** In US dollars, as decimal text. */
  amount_usd: Usd;
  spent_usd: Usd;
}

export type SendBudgetEvents = (events: readonly BudgetEvent[]) => Promise<void>;

/** `stack` is the name of the sending stack, since all stacks of an account and region share a bus. */
export function createBudgetEventSender(sender: EventSender, stack: string): SendBudgetEvents {
  return (events) =>
    sender.send(
      events.map((event) => ({
        source: 'ai-gateway',
        detailType: 'Budget Threshold Reached',
        detail: { stack, ...event },
      })),
    );
}

interface NotificationDependencies {
  budgetCounters: BudgetCountersTable;
  sendEvents: SendBudgetEvents;
  now(): Date;
}

interface CounterStatus {
  scope: BudgetScope;
  /** All items of the counter, the first one first. */
  items: CounterItems;
  /** The periods that have just refused a request, such as `2026-11`. */
  refusingPeriods: ReadonlySet<string>;
}

/** Sends the events that are due, and then stores that they were sent. */
export async function notifyThresholds(
  { budgetCounters, sendEvents, now }: NotificationDependencies,
  { scope, items, refusingPeriods }: CounterStatus,
): Promise<void> {
  const [first] = items;
  for (const status of periodStatuses(items)) {
    if (isPeriodOver(status.period, now().getTime())) continue;
    // Another amount applied to the period, or none.
    if (periodEndMs(status.period) <= first.amountsFromMs[kindOfPeriod(status.period)]) continue;
    const isRefusing = refusingPeriods.has(status.period);
    const due = budgetThresholds.filter(
      (threshold) => threshold > status.notifiedPercent && isReached(status, threshold, isRefusing),
    );
    const highest = due.at(-1);
    if (highest === undefined) continue;
    await sendEvents(due.map((threshold) => eventOf(scope, first, status, threshold)));
    await storeNotified(budgetCounters, first, status, highest);
  }
}

/** A period of a budget, over all items of its counter. */
interface PeriodStatus {
  /** Such as `2026-11`. */
  period: string;
  amountUsd: Usd;
  spentUsd: Usd;
  notifiedPercent: number;
}

/** The periods of the counter that have a budget. */
function periodStatuses(items: CounterItems): PeriodStatus[] {
  const [first] = items;
  const periods = new Set(items.flatMap((item) => [...item.periods.keys()]));
  return [...periods].flatMap((period) => {
    const amountUsd = first.amounts[kindOfPeriod(period)];
    if (amountUsd === null) return [];
    const { notifiedPercent } = periodOfCounter(first, period);
    return [{ period, amountUsd, spentUsd: spentIn(items, period), notifiedPercent }];
  });
}

/** Hard budgets admit no request that might exceed them, so few of them are spent to the end. */
const refusingThreshold = 80;

function isReached(
  { amountUsd, spentUsd }: PeriodStatus,
  threshold: BudgetThreshold,
  isRefusing: boolean,
): boolean {
  const percent = isRefusing ? Math.min(threshold, refusingThreshold) : threshold;
  return isSpent(amountUsd, percent, spentUsd);
}

function eventOf(
  scope: BudgetScope,
  counter: CounterItem,
  { period, amountUsd, spentUsd }: PeriodStatus,
  threshold: BudgetThreshold,
): BudgetEvent {
  return {
    id: `${scope.organizationId}/${counterName(scope, counter)}/${period}/${amountUsd}/${threshold}`,
    organization_id: scope.organizationId,
    api_key_id: scope.keyId,
    period: kindOfPeriod(period),
    period_start: new Date(parsePeriodText(period)).toISOString(),
    period_end: new Date(periodEndMs(period)).toISOString(),
    threshold,
    amount_usd: amountUsd,
    spent_usd: spentUsd,
  };
}

/** Does nothing if the amount has changed in the meantime, which has reset thresholds. */
async function storeNotified(
  budgetCounters: BudgetCountersTable,
  { key, id }: CounterItem,
  { period, amountUsd }: PeriodStatus,
  threshold: BudgetThreshold,
): Promise<void> {
  const notified = periodAttribute('notified', period);
  const update = createUpdate(id);
  update.require(
    equals(`amount_${kindOfPeriod(period)}`, amountValue(amountUsd)),
    comparesIfExists(notified, '<', threshold),
  );
  update.set(notified, threshold);
  await updateCounterItem(budgetCounters, key, update.build());
}
