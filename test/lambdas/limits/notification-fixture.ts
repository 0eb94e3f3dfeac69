/** Counters of budgets in an embedded DynamoDB, whose spending sends events. */
import { expect } from 'vitest';
import type { BudgetPeriod, BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { type BudgetEvent, notifyThresholds } from '#lambdas/limits/budgets/events.ts';
import { changeAmounts, createCounterItem } from '#lambdas/limits/counters/change.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import {
  type BudgetCountersTable,
  findCounterItem,
  findCounterItems,
  settleRecords,
} from '#lambdas/limits/counters/table.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { startCountersTable } from './counters-table.ts';

export const now = new Date('2026-11-23T12:00:00Z');

type Amounts = Record<BudgetPeriod, Usd | null>;

interface Notification {
  /** The periods that have just refused a request. */
  refusing?: string[];
  /** Rejects when EventBridge does. */
  send?: (events: readonly BudgetEvent[]) => Promise<void>;
}

export interface NotificationFixture {
  budgetCounters: BudgetCountersTable;
  /** Resolves to the id of a counter with a monthly amount of 100, since 1970. */
  createCounter(scope: BudgetScope, itemCount?: number): Promise<string>;
  setAmounts(scope: BudgetScope, amounts: Amounts, table?: BudgetCountersTable): Promise<void>;
  spend(scope: BudgetScope, costUsd: Usd, shard?: number): Promise<void>;
  /** Resolves to the events that were sent. */
  notify(scope: BudgetScope, notification?: Notification): Promise<BudgetEvent[]>;
  stop(): Promise<void>;
}

export async function startNotificationFixture(): Promise<NotificationFixture> {
  const { database, budgetCounters } = await startCountersTable();
  let counters = 0;
  let sequence = 0;
  const find = async (scope: BudgetScope, shard = 0) =>
    (await findCounterItem(budgetCounters, counterKey(scope, shard))) ?? expect.fail('There is no counter');
  const keysOf = (scope: BudgetScope, itemCount: number) =>
    Array.from({ length: itemCount }, (_, index) => counterKey(scope, index));
  const fixture: NotificationFixture = {
    budgetCounters,
    async createCounter(scope, itemCount = 1) {
      const id = `c${++counters}`;
      const keys = keysOf(scope, itemCount);
      for (const key of keys)
        await createCounterItem(budgetCounters, { key, id, itemCount, limitUsd: '1000' });
      await changeAmounts(budgetCounters, { keys, id, amounts: { day: null, month: '100' } }, new Date(0));
      return id;
    },
    async setAmounts(scope, amounts, table = budgetCounters) {
      const { id, itemCount } = await find(scope);
      const change = { keys: keysOf(scope, itemCount), id, amounts };
      expect(await changeAmounts(table, change, now)).toBe(true);
    },
    async spend(scope, costUsd, shard = 0) {
      const record = {
        createdAtMs: now.getTime(),
        writtenAtMs: now.getTime(),
        costUsd,
        pendingUsd: '0',
        isReplayed: false,
        sequenceNumber: String(++sequence),
      };
      await settleRecords(budgetCounters, await find(scope, shard), {
        source: 'shardId-1',
        records: [record],
        now,
      });
    },
    async notify(scope, { refusing = [], send = async () => {} } = {}) {
      const sent: BudgetEvent[] = [];
      const items = await findCounterItems(budgetCounters, scope, await find(scope));
      const sendEvents = async (events: readonly BudgetEvent[]) => {
        sent.push(...events);
        await send(events);
      };
      const dependencies = { budgetCounters, sendEvents, now: () => now };
      await notifyThresholds(dependencies, { scope, items, refusingPeriods: new Set(refusing) });
      return sent;
    },
    stop: database.stop,
  };
  return fixture;
}
