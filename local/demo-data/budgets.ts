/** The budgets of the demo data, whose amounts follow from its costs. */
import type { Budget, BudgetPeriod } from '#lambdas/limits/budgets/budget.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { startOfPeriod } from '#lambdas/platform/period.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { DemoKeyName } from './workloads.ts';

interface DemoBudget extends Pick<Budget, 'amountUsd' | 'hard'> {
  /** `null` for the budget of the organization. */
  key: DemoKeyName | null;
  period: BudgetPeriod;
}

type Costs = Pick<LogEntry, 'created_at' | 'api_key_id' | 'cost_usd'>;

/** A key has used about nine tenths, and the organization will exceed its budget if it goes on as in the last week. */
export function demoBudgets(
  entries: readonly Costs[],
  keys: Readonly<Record<DemoKeyName, { id: string }>>,
  until: Date,
): DemoBudget[] {
  const monthMs = startOfPeriod('month', until.getTime() - 1);
  const since = (ms: number) => entries.filter(({ created_at }) => Date.parse(created_at) >= ms);
  const ofKey = (name: DemoKeyName) => (entry: Costs) => entry.api_key_id === keys[name].id;
  const days = Map.groupBy(entries.filter(ofKey('ci')), ({ created_at }) => created_at.slice(0, 10));
  const weekUsd = costOf(since(until.getTime() - 7 * dayMs));
  const supportUsd = costOf(since(monthMs).filter(ofKey('support-assistant')));
  return [
    { key: null, period: 'month', hard: false, amountUsd: rounded((weekUsd / 7) * (30 / 1.06)) },
    { key: 'support-assistant', period: 'month', hard: false, amountUsd: rounded(supportUsd / 0.9) },
    {
      key: 'ci',
      period: 'day',
      hard: true,
      amountUsd: rounded(Math.max(0, ...[...days.values()].map(costOf))),
    },
  ];
}

/** A number, since it only serves to choose an amount. */
function costOf(entries: readonly Costs[]): number {
  return Number(totalCost(entries));
}

export function totalCost(entries: readonly Pick<LogEntry, 'cost_usd'>[]): Usd {
  return entries.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');
}

/** To three digits, as people choose amounts, and at least a cent. */
function rounded(usd: number): Usd {
  return usdFromNumber(Math.max(0.01, Number(Number(usd.toPrecision(3)).toFixed(2))));
}
