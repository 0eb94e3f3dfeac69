import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdmissionDependencies, createAdmit } from '#lambdas/limits/admission.ts';
import {
  beginItemRecount,
  changeAmounts,
  createCounterItem,
  endItemRecount,
  setLimits,
} from '#lambdas/limits/counters/change.ts';
import { type CounterItem, periodsAt } from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { coverDeficits, rebalance } from '#lambdas/limits/counters/rebalance.ts';
import { type BudgetCountersTable, findCounterItem, settleRecords } from '#lambdas/limits/counters/table.ts';
import { rateLimitsOf } from '#lambdas/limits/rates/rate-limits.ts';
import type { RequestLease } from '#lambdas/limits/request-lease.ts';
import { requestKey } from '#test/support/api-keys.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createMemoryClient, createMemoryTableCalls } from '#test/support/dynamodb/memory/client.ts';
import { createMemoryTable } from '#test/support/dynamodb/memory/table.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { startCountersTable } from '../counters-table.ts';

let database: EmbeddedDynamoDB;
let embedded: BudgetCountersTable;
beforeAll(async () => {
  ({ database, budgetCounters: embedded } = await startCountersTable());
});
afterAll(() => database.stop());

interface Counter {
  table: BudgetCountersTable;
  calls: AdmissionDependencies['calls'];
  organizationId: string;
  /** The leases of the requests that were admitted. */
  leases: RequestLease[];
  clock: { nowMs: number };
}

const id = 'c';
const itemCount = 2;
const startMs = Date.UTC(2026, 10, 30, 23);
const usd = fc.integer({ min: 0, max: 400 }).map((cents) => String(cents / 100));
const quarterMinute = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 960 }));
const rateLimit = fc.option(fc.integer({ min: 1, max: 20 }));

/** An operation on one of the items, or on the counter. */
const step = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('admit' as const) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'renew',
        'end',
        'cancel',
        'settle',
        'begin recount',
        'end recount',
        'set limits',
        'change amounts',
        'rebalance',
        'cover deficits',
      ),
    },
  ),
  index: fc.nat(1),
  /** The times of the operation, and of its request. */
  at: quarterMinute,
  requestAt: quarterMinute,
  usd,
  otherUsd: usd,
  lease: fc.nat(3),
  rateLimits: fc.option(
    fc.record({ requests_per_minute: rateLimit, tokens_per_minute: rateLimit, concurrent: rateLimit }),
  ),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function keysOf({ organizationId }: Counter): string[] {
  return Array.from({ length: itemCount }, (_, index) => counterKey({ organizationId, keyId: null }, index));
}

async function itemsOf(counter: Counter): Promise<CounterItem[]> {
  const items = await Promise.all(keysOf(counter).map((key) => findCounterItem(counter.table, key)));
  return items.filter((item) => item !== null);
}

/** Keeps the lease of an admitted request, and resolves to what does not depend on the table. */
async function admitRequest(
  counter: Counter,
  { index, usd, otherUsd, rateLimits }: Step,
  receivedAtMs: number,
) {
  const { calls, table, clock, organizationId: organization_id, leases } = counter;
  const failures: string[] = [];
  const admit = createAdmit({
    calls,
    tableName: table.tableName,
    now: () => new Date(clock.nowMs),
    onFailure: (error) => void failures.push(String(error)),
  });
  const limits = rateLimits && rateLimitsOf(rateLimits);
  const apiKey = requestKey({
    organization_id,
    log_shards: 16,
    organization_budget: { id, shards: itemCount, allows_unpriced: false },
    ...(limits && { organization_rate_limits: limits }),
  });
  const tokens = Math.ceil(Number(otherUsd));
  const { lease, ...result } = await admit({ apiKey, logShard: index * 8, receivedAtMs, usd, tokens });
  if (lease !== null) leases.push(lease);
  return { ...result, failures };
}

/** Resolves to the result of the operation. */
async function run(counter: Counter, one: Step, sequence: number): Promise<unknown> {
  const { kind, index, usd, otherUsd } = one;
  const { table, clock } = counter;
  const [nowMs, atMs] = [startMs + one.at * 15_000, startMs + one.requestAt * 15_000];
  const now = new Date(nowMs);
  clock.nowMs = nowMs;
  const keys = keysOf(counter);
  const items = await itemsOf(counter);
  const item = items[index] ?? expect.fail();
  const lease = counter.leases[one.lease];
  const period = periodsAt(atMs).month;
  switch (kind) {
    case 'admit':
      return admitRequest(counter, one, atMs);
    case 'renew':
      return lease?.renew();
    case 'end':
      return lease?.end({ costUsd: otherUsd, tokens: index });
    case 'cancel':
      return lease?.cancel();
    case 'settle': {
      const settlement = { createdAtMs: atMs, writtenAtMs: nowMs, costUsd: otherUsd, pendingUsd: usd };
      const records = [{ ...settlement, isReplayed: false, sequenceNumber: String(sequence) }];
      return settleRecords(table, item, { source: 'shardId-00000000000000000001-0', records, now });
    }
    case 'begin recount':
      return beginItemRecount(table, item, nowMs);
    case 'end recount': {
      const costs = new Map([[period, usd]]);
      return endItemRecount(table, item, { fromMs: item.recountFromMs ?? nowMs, costs });
    }
    case 'set limits':
      return setLimits(table, item, { itemCount: keys.length, limits: { day: usd, month: otherUsd } }, now);
    case 'change amounts':
      return changeAmounts(table, { keys, id, amounts: { day: null, month: usd } }, now);
    case 'rebalance':
      return rebalance(table, { keys, id, period }, usd);
    case 'cover deficits':
      return coverDeficits(table, items, now);
    default:
      return kind satisfies never;
  }
}

let counters = 0;

/** The results of the steps, each with the items afterwards. */
async function resultsIn(
  table: BudgetCountersTable,
  calls: Counter['calls'],
  organizationId: string,
  steps: readonly Step[],
) {
  const counter: Counter = { table, calls, organizationId, leases: [], clock: { nowMs: startMs } };
  const keys = keysOf(counter);
  for (const key of keys) await createCounterItem(table, { key, id, itemCount, limitUsd: '2' });
  const results: unknown[] = [];
  for (const [index, one] of steps.entries()) {
    const result = await run(counter, one, index);
    const reads = keys.map((key) =>
      table.client.send(new GetCommand({ TableName: table.tableName, Key: counterItemKey(key) })),
    );
    results.push({ result, items: (await Promise.all(reads)).map(({ Item }) => Item) });
  }
  return results;
}

it('changes counters in a table in memory as in the embedded DynamoDB', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const organizationId = `org_${++counters}`;
      const memory = createMemoryTable(embedded.tableName, 'counter_key');
      const table = { client: createMemoryClient(memory), tableName: embedded.tableName };

      const inMemory = await resultsIn(table, createMemoryTableCalls(memory), organizationId, steps);

      expect(inMemory).toEqual(
        await resultsIn(embedded, tableCallsAt(database.endpoint), organizationId, steps),
      );
    }),
    { numRuns: byTestForm({ short: 40, long: 3000 }) },
  );
});
