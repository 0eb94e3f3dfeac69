/** Builds the conditional updates of a counter. */
import {
  allOf,
  anyOf,
  type Condition,
  type ConditionalUpdate,
  compares,
  equals,
  exists,
  increased,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { budgetCountersSchema } from '../schema.ts';
import { amountValue, type CounterItem, kindOfPeriod, periodAttribute } from './counter.ts';
import { type AmountLease, sumByPeriod } from './leases.ts';

export interface CounterUpdate {
  require(...conditions: readonly Condition[]): void;
  set(attribute: string, value: unknown): void;
  /** Amounts for the same attribute are summed. Any number, not only an amount. */
  add(attribute: string, usd: Usd): void;
  /** Adds to the remaining budget, which is the limit if the item does not have the period yet. Amounts are summed. */
  addRemaining(period: string, usd: Usd): void;
  /** The update fails if less remains. */
  takeRemaining(period: string, usd: Usd): void;
  remove(attribute: string): void;
  /** `UpdateExpression` is empty if nothing changes. */
  build(): ConditionalUpdate;
}

/** The update fails for the item of another counter, and without an id for an item that does not exist. */
export function createUpdate(id: string | null): CounterUpdate {
  const first = id === null ? exists(budgetCountersSchema.partitionKey) : equals('id', id);
  const conditions: [Condition, ...Condition[]] = [first];
  const set = new Map<string, unknown>();
  const remaining = new Map<string, Usd>();
  const additions = new Map<string, Usd>();
  const removals = new Set<string>();
  const addRemaining = (period: string, usd: Usd) =>
    void remaining.set(period, addUsd(remaining.get(period) ?? '0', usd));
  return {
    require: (...added) => void conditions.push(...added),
    set: (attribute, value) => void set.set(attribute, value),
    add: (attribute, usd) => void additions.set(attribute, addUsd(additions.get(attribute) ?? '0', usd)),
    addRemaining,
    takeRemaining(period, usd) {
      const attribute = periodAttribute('room', period);
      const limit = limitAttribute(period);
      const amount = amountValue(usd);
      conditions.push(
        anyOf(compares(attribute, '>=', amount), allOf(notExists(attribute), compares(limit, '>=', amount))),
      );
      addRemaining(period, subtractUsd('0', usd));
    },
    remove: (attribute) => void removals.add(attribute),
    build() {
      const changedRemaining = [...remaining].map(
        ([period, usd]) =>
          [
            periodAttribute('room', period),
            increased(amountValue(usd), { from: limitAttribute(period) }),
          ] as const,
      );
      const add = Object.fromEntries([...additions].map(([name, usd]) => [name, amountValue(usd)]));
      return updateExpressions(
        { set: new Map([...set, ...changedRemaining]), add, remove: [...removals] },
        ...conditions,
      );
    },
  };
}

/**
 * Returns leases, or costs that are no longer pending, to the remaining budget, except for that of periods without an attribute,
 * which are over. The update fails if one has changed.
 */
export function releaseAmounts(
  update: CounterUpdate,
  { periods }: Pick<CounterItem, 'periods'>,
  amounts: readonly Pick<AmountLease, 'attribute' | 'day' | 'usd'>[],
): void {
  for (const { attribute, usd } of amounts) {
    update.require(equals(attribute, amountValue(usd)));
    update.remove(attribute);
  }
  for (const [period, usd] of sumByPeriod(amounts)) {
    if (periods.get(period)?.remainingUsd != null) update.addRemaining(period, usd);
  }
}

function limitAttribute(period: string): string {
  return `limit_${kindOfPeriod(period)}`;
}
