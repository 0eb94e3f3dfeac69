/** Keys with hard budgetCounters in an embedded DynamoDB, from which requests reserve. */
import { expect } from 'vitest';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { type AdmissionResult, createAdmit } from '#lambdas/limits/admission.ts';
import type { AdmissionTable } from '#lambdas/limits/counters/admit.ts';
import { changeAmounts, createCounterItem, setLimits } from '#lambdas/limits/counters/change.ts';
import { type CounterItem, unlimitedUsd } from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { findCounterItem } from '#lambdas/limits/counters/table.ts';
import type { LimitFailure } from '#lambdas/limits/request-lease.ts';
import type { Item, TableUpdates } from '#lambdas/platform/dynamodb/table.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { startCountersTable } from './counters-table.ts';

export const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);

export type Admit = ReturnType<typeof createAdmit>;

interface Limits {
  day?: Usd;
  month?: Usd;
}

interface Reserving {
  /** The partition keys of the items, in the order of their writes. */
  writes: string[];
  failures: unknown[];
  /** The effects of the failures, in their order. */
  effects: LimitFailure[];
  admit: Admit;
  reserve(apiKey: RequestKey, usd: Usd, logShard?: number): Promise<AdmissionResult>;
}

interface ReservingOptions {
  /** Default: `receivedAtMs`. */
  atMs?: number;
  /** A clock that the test moves. */
  clock?: { nowMs: number };
  update?: TableUpdates['update'];
  /** Default: calls with the timeouts of the product. */
  calls?: AdmissionTable['calls'];
}

export interface ReservationFixture {
  /** The address of the embedded DynamoDB. */
  endpoint: string;
  /** The table of counters. */
  tableName: string;
  /** A key with these limits. The organization's counter has one item for each element. */
  createKey(limits: { organization?: Limits[]; key?: Limits }): Promise<RequestKey>;
  /** Takes the counter of the key back to the moment before it had the amounts of the budgets. */
  removeAmounts(apiKey: RequestKey): Promise<void>;
  findItem(apiKey: RequestKey, keyId: string | null, shard?: number): Promise<CounterItem>;
  /** The attributes of an item, which may have the state of rate limits alone. */
  findAttributes(apiKey: RequestKey, keyId: string | null, shard?: number): Promise<Item>;
  /** An environment of the function. */
  startReserving(options?: ReservingOptions): Reserving;
  stop(): Promise<void>;
}

export async function startReservationFixture(): Promise<ReservationFixture> {
  const { database, budgetCounters } = await startCountersTable();
  let organizations = 0;
  const tableCalls = tableCallsAt(database.endpoint);
  return {
    endpoint: database.endpoint,
    tableName: budgetCounters.tableName,
    async createKey(limits) {
      const organization_id = `org_${++organizations}`;
      const apiKey = requestKey({ organization_id });
      const create = async (keyId: string | null, items: Limits[]) => {
        const [id, itemCount] = [`${keyId === null ? 'o' : 'k'}${organizations}`, items.length];
        for (const [shard, { day = unlimitedUsd, month = unlimitedUsd }] of items.entries()) {
          const key = counterKey({ organizationId: organization_id, keyId }, shard);
          const counter = await createCounterItem(budgetCounters, { key, id, itemCount, limitUsd: '0' });
          // The period begins later than the items are created: its remaining budget is the limit.
          await setLimits(budgetCounters, counter, { itemCount, limits: { day, month } }, new Date(0));
          const amounts = {
            day: day === unlimitedUsd ? null : day,
            month: month === unlimitedUsd ? null : month,
          };
          await changeAmounts(budgetCounters, { keys: [key], id, amounts }, new Date(0));
        }
        return { id, shards: itemCount, allows_unpriced: false };
      };
      return {
        ...apiKey,
        ...(limits.organization && { organization_budget: await create(null, limits.organization) }),
        ...(limits.key && { key_budget: await create(apiKey.id, [limits.key]) }),
      };
    },
    async removeAmounts({ organization_id: organizationId, id: keyId, key_budget: { id } = expect.fail() }) {
      const keys = [counterKey({ organizationId, keyId })];
      const amounts = { day: null, month: null };
      await changeAmounts(budgetCounters, { keys, id, amounts }, new Date(0));
    },
    async findItem({ organization_id: organizationId }, keyId, shard = 0) {
      return (
        (await findCounterItem(budgetCounters, counterKey({ organizationId, keyId }, shard))) ?? expect.fail()
      );
    },
    async findAttributes({ organization_id: organizationId }, keyId, shard = 0) {
      const key = counterItemKey(counterKey({ organizationId, keyId }, shard));
      return (await tableCalls.get(budgetCounters.tableName, key)) ?? {};
    },
    startReserving({
      atMs = receivedAtMs,
      clock = { nowMs: atMs },
      calls = tableCalls,
      update = calls.update,
    } = {}) {
      const writes: string[] = [];
      const failures: unknown[] = [];
      const effects: LimitFailure[] = [];
      const admit = createAdmit({
        calls: {
          ...calls,
          update(table, key, options) {
            writes.push(String(key.counter_key));
            return update(table, key, options);
          },
        },
        tableName: budgetCounters.tableName,
        now: () => new Date(clock.nowMs),
        onFailure(error, _, effect) {
          failures.push(error);
          effects.push(effect);
        },
      });
      return {
        writes,
        failures,
        effects,
        admit,
        reserve: (apiKey, usd, logShard = 0) =>
          admit({ apiKey, logShard, receivedAtMs: clock.nowMs, usd, tokens: 0 }),
      };
    },
    stop: database.stop,
  };
}
