/** The budgets of the demo data, whose amounts follow from its costs. */

import type { Budget, BudgetPeriod } from '#lambdas/limits/budgets/budget.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { dateText, startOfDay } from './calendar.ts';
import type { DemoKeyName } from './workloads.ts';

interface DemoBudget {
  /** `null` for the budget of the organization. */
  key: DemoKeyName | null;
  period: BudgetPeriod;
  budget: Budget;
}

type Costs = Pick<LogEntry, 'created_at' | 'api_key_id' | 'cost_usd'>;

/** A key has used about nine tenths, and the organization will exceed its budget if it goes on as in the last week. */
export function demoBudgets(
  entries: readonly Costs[],
  keyIds: Readonly<Record<DemoKeyName, string>>,
  until: Date,
): DemoBudget[] {
  const lastMs = until.getTime() - 1;
  const monthMs = startOfPeriod('month', lastMs);
  const inMonth = createdFrom(entries, monthMs);
  const ofKey = (name: DemoKeyName) => (entry: Costs) => entry.api_key_id === keyIds[name];
  const today = startOfDay(lastMs);
  const lastWeek = createdFrom(entries, today - 7 * dayMs).filter(
    (entry) => Date.parse(entry.created_at) < today,
  );
  const daysLeft = (endOfPeriod('month', lastMs) - today) / dayMs - 1;
  const projected = costOf(inMonth) + (costOf(lastWeek) / 7) * daysLeft;
  return [
    { key: null, period: 'month', budget: soft(projected / 1.06) },
    {
      key: 'support-assistant',
      period: 'month',
      budget: soft(costOf(inMonth.filter(ofKey('support-assistant'))) / 0.9),
    },
    { key: 'ci', period: 'day', budget: { ...soft(maxCostOfDay(entries.filter(ofKey('ci')))), hard: true } },
  ];
}

function createdFrom(entries: readonly Costs[], startMs: number): Costs[] {
  return entries.filter(({ created_at }) => Date.parse(created_at) >= startMs);
}

function maxCostOfDay(entries: readonly Costs[]): number {
  const days = Map.groupBy(entries, ({ created_at }) => dateText(Date.parse(created_at)));
  return Math.max(0, ...[...days.values()].map(costOf));
}

/** A number, since it only serves to choose an amount. */
function costOf(entries: readonly Costs[]): number {
  return Number(totalCost(entries));
}

export function totalCost(entries: readonly Pick<LogEntry, 'cost_usd'>[]): Usd {
  return entries.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');
}

function soft(usd: number): Budget {
  return { amountUsd: roundAmount(usd), hard: false, allowsUnpriced: false };
}

const minAmountUsd = 0.01;

/** To three digits, as people choose amounts. */
function roundAmount(usd: number): Usd {
  return usdFromNumber(Math.max(minAmountUsd, Number(Number(usd.toPrecision(3)).toFixed(2))));
}
