import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyPropagationMs } from '#lambdas/costs/budgets/dependencies.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { listBudgets } from '#lambdas/limits/budgets/status.ts';
import { requestUpdate } from '#lambdas/limits/budgets/store.ts';
import { createCounterItem } from '#lambdas/limits/counters/change.ts';
import { periodOfCounter, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { createSimulatedGateway, type SimulatedGateway } from './support/simulated-gateway.ts';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let gateways = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(() => database.stop());

const startMs = Date.UTC(2026, 10, 23, 12);
const newGateway = (fromMs = startMs) =>
  createSimulatedGateway(database, tables, {
    organizationId: `org_${++gateways}`,
    keys: 2,
    startMs: fromMs,
  });

const scopeOf = ({ organizationId, keyIds }: SimulatedGateway, key?: number) => ({
  organizationId,
  keyId: key === undefined ? null : (keyIds[key] ?? null),
});
const periodState = async (gateway: SimulatedGateway, keyId: string | null, period = '2026-11') => {
  const counters = await gateway.countersOf(keyId);
  return counters.map((counter) => {
    const { remainingUsd, spentUsd } = periodOfCounter(counter, period);
    return { remaining: remainingUsd, spent: spentUsd, reserved: reservedUsd(counter, gateway.clock.nowMs) };
  });
};
const complete = async (gateway: SimulatedGateway, key: number, maxUsd: string, costUsd: string) => {
  const request = await gateway.start({ key, logShard: 0, maxUsd });
  await gateway.finish(request ?? expect.fail('The request was refused'), costUsd);
  await gateway.deliver(0);
};

const softBudget = { amountUsd: '10', hard: false, allowsUnpriced: false };
const hardBudget = (amountUsd: string) => ({ amountUsd, hard: true, allowsUnpriced: false });

it('includes what the period has already cost, within 30 seconds', async () => {
  const gateway = await newGateway();
  const scope = { organizationId: gateway.organizationId, keyId: null };
  const first = await gateway.start({ key: 0, logShard: 0, maxUsd: '5' });
  await gateway.finish(first ?? expect.fail(), '4');
  await gateway.deliver(0);
  await setBudget(gateway.budgetTables, scope, 'month', hardBudget('10'), gateway.audit);

  const tookMs = await gateway.applyChanges();

  const [counter] = await gateway.countersOf(null);
  expect(tookMs).toBeLessThan(30_000);
  expect(counter && periodOfCounter(counter, '2026-11')).toMatchObject({ remainingUsd: '6', spentUsd: '4' });
  expect(await gateway.start({ key: 1, logShard: 0, maxUsd: '6.1' })).toBeNull();
  const second = await gateway.start({ key: 1, logShard: 0, maxUsd: '6' });
  expect(second?.reservation).toEqual({ usd: '6', counters: ['organization/c1/0'] });
  await gateway.finish(second ?? expect.fail(), '1.5');
  await gateway.deliver(0);
  const [settled] = await gateway.countersOf(null);
  expect(settled && periodOfCounter(settled, '2026-11')).toMatchObject({
    remainingUsd: '4.5',
    spentUsd: '5.5',
  });
  expect(settled && reservedUsd(settled, gateway.clock.nowMs)).toBe('0');
  expect(gateway.events.map(({ id, spent_usd }) => [id, spent_usd])).toEqual([
    [`${gateway.organizationId}/organization/c1/2026-11/10/50`, '5.5'],
  ]);
});

const hasFailed = (work: Promise<unknown>) =>
  work.then(
    () => false,
    () => true,
  );

/** The long form lets each call fail. */
const callStep = byTestForm({ short: 9, long: 1 });
const raiseCallStep = byTestForm({ short: 3, long: 1 });

it('puts a budget into effect after the function has died at any call', async () => {
  recordLogLines();
  for (let failAtCall = 1; ; failAtCall += callStep) {
    const gateway = await newGateway();
    await complete(gateway, 0, '5', '4');
    await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
    const hasDied = await hasFailed(gateway.applyChanges({ failAtCall, takesEffect: failAtCall % 2 === 0 }));
    await complete(gateway, 0, '2', '1');

    await gateway.applyChanges();

    expect([failAtCall, await periodState(gateway, null)]).toEqual([
      failAtCall,
      [{ remaining: '5', spent: '5', reserved: '0' }],
    ]);
    expect(await gateway.start({ key: 1, logShard: 0, maxUsd: '5.5' })).toBeNull();
    if (!hasDied) break;
  }
});

it('counts a budget without a hard limit, and leaves the keys as they are', async () => {
  const gateway = await newGateway();
  const keyId = gateway.keyIds[0] ?? null;
  await setBudget(gateway.budgetTables, scopeOf(gateway, 0), 'day', softBudget, gateway.audit);
  await gateway.applyChanges();

  await complete(gateway, 0, '9', '9');
  await complete(gateway, 0, '9', '9');
  await complete(gateway, 1, '9', '9');

  expect((await periodState(gateway, keyId, '2026-11-23'))[0]?.spent).toBe('18');
  expect(gateway.requests.map(({ reservation }) => reservation)).toEqual([null, null, null]);
  expect(gateway.events.map(({ threshold, spent_usd }) => [threshold, spent_usd])).toEqual([
    [50, '9'],
    [80, '9'],
    [100, '18'],
  ]);
});

it('lets all requests through after the budget was removed, and deletes the counter', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('1'), gateway.audit);
  await gateway.applyChanges();
  const running = await gateway.start({ key: 0, logShard: 0, maxUsd: '1' });
  await removeBudget(gateway.budgetTables, scopeOf(gateway), 'month', gateway.audit);

  await gateway.applyChanges();

  const next = await gateway.start({ key: 0, logShard: 0, maxUsd: '100' });
  expect(next?.reservation).toBeNull();
  expect(await gateway.countersOf(null)).toEqual([]);
  expect(await findRollupState(gateway.costRollups, gateway.organizationId)).toMatchObject({
    counters: { organization: false, keys: false },
  });
  // The entry of a request that has reserved from the deleted counter.
  await gateway.finish(running ?? expect.fail(), '0.5');
  await gateway.deliver(0);
  expect(await gateway.countersOf(null)).toEqual([]);
});

it('deletes the counter of a budget without a hard limit at once', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', softBudget, gateway.audit);
  await gateway.applyChanges();
  await removeBudget(gateway.budgetTables, scopeOf(gateway), 'month', gateway.audit);

  expect(await gateway.applyChanges()).toBe(0);

  expect(await gateway.countersOf(null)).toEqual([]);
});

it('keeps the counter while cached keys have it, although the function has died at any call', async () => {
  recordLogLines();
  for (let failAtCall = 1; ; failAtCall += callStep) {
    const gateway = await newGateway();
    for (const period of ['day', 'month'] as const) {
      await setBudget(gateway.budgetTables, scopeOf(gateway), period, hardBudget('1'), gateway.audit);
    }
    await gateway.applyChanges();
    for (const period of ['day', 'month'] as const) {
      await removeBudget(gateway.budgetTables, scopeOf(gateway), period, gateway.audit);
    }
    const removedMs = gateway.clock.nowMs;
    const hasDied = await hasFailed(gateway.applyChanges({ failAtCall, takesEffect: true }));

    await gateway.applyChanges();

    const deletedAfterMs = gateway.clock.nowMs - removedMs;
    expect([failAtCall, deletedAfterMs >= keyPropagationMs]).toEqual([failAtCall, true]);
    expect(await gateway.countersOf(null)).toEqual([]);
    if (!hasDied) break;
  }
});

it('puts two budgets into effect within 30 seconds of the second', async () => {
  const gateway = await newGateway();
  const { budgetTables, clock } = gateway;
  await setBudget(budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  const applied = gateway.startApplying();
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 250) {
    await gateway.idle();
    clock.advance(250);
  }
  await setBudget(budgetTables, scopeOf(gateway), 'day', hardBudget('4'), gateway.audit);

  const tookMs = await gateway.waitFor(applied);

  expect(tookMs).toBeLessThan(30_000);
  expect(await gateway.start({ key: 0, logShard: 0, maxUsd: '4.5' })).toBeNull();
});

it('keeps counting for a budget that is set again at once after its removal', async () => {
  const gateway = await newGateway();
  const { budgetTables } = gateway;
  await setBudget(budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  await gateway.applyChanges();
  await complete(gateway, 0, '4', '3');
  await removeBudget(budgetTables, scopeOf(gateway), 'month', gateway.audit);
  const removed = gateway.startApplying();
  await gateway.idle();
  await setBudget(budgetTables, scopeOf(gateway), 'month', hardBudget('8'), gateway.audit);

  const tookMs = await gateway.waitFor(removed);

  expect(tookMs).toBeLessThan(30_000);
  expect(await periodState(gateway, null)).toEqual([{ remaining: '5', spent: '3', reserved: '0' }]);
});

it('counts and settles while EventBridge is unavailable, and sends the event later', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  await gateway.applyChanges();
  const lines = recordLogLines();
  gateway.failEvents(true);
  await complete(gateway, 0, '6', '6');
  gateway.failEvents(false);

  expect(await periodState(gateway, null)).toEqual([{ remaining: '4', spent: '6', reserved: '0' }]);
  expect(lines).toMatchObject([{ event: 'budget_event_not_sent', organization_id: gateway.organizationId }]);
  expect(gateway.events).toEqual([]);
  await complete(gateway, 0, '0.1', '0.1');
  expect(gateway.events.map(({ threshold }) => threshold)).toEqual([50]);
});

const sentEvents = ({ events }: SimulatedGateway) =>
  events.map(({ threshold, amount_usd }) => `${threshold} % of ${amount_usd}`);

it('sends each event of a raised amount once after the function has died at any call', async () => {
  recordLogLines();
  for (let failAtCall = 1; ; failAtCall += raiseCallStep) {
    const gateway = await newGateway();
    await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
    await gateway.applyChanges();
    await complete(gateway, 0, '8.5', '8.5');
    await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('20'), gateway.audit);
    const failure = { failAtCall, takesEffect: failAtCall % 2 === 0 };
    const hasDied = await hasFailed(gateway.applyChanges(failure));
    await complete(gateway, 0, '1', '1');

    await gateway.applyChanges();
    await complete(gateway, 0, '1', '1');
    await complete(gateway, 0, '7', '7');

    expect([failAtCall, sentEvents(gateway)]).toEqual([
      failAtCall,
      ['50 % of 10', '80 % of 10', '50 % of 20', '80 % of 20'],
    ]);
    if (!hasDied) break;
  }
});

it('lists the events of the amount in effect', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  await gateway.applyChanges();
  await complete(gateway, 0, '8.5', '8.5');
  const listed = async () => {
    const now = new Date(gateway.clock.nowMs);
    const [budget] = await listBudgets(gateway.budgetTables, gateway.organizationId, now);
    return [budget?.state, budget?.events];
  };
  expect(await listed()).toEqual(['active', [50, 80]]);
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('15'), gateway.audit);
  expect(await listed()).toEqual(['activating', [50, 80]]);

  await gateway.applyChanges();

  expect(await listed()).toEqual(['active', [50]]);
});

it('counts a refusal for the amount that was in effect, although it is delivered after a change', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  await gateway.applyChanges();
  await complete(gateway, 0, '9', '9');
  expect(await gateway.start({ key: 0, logShard: 0, maxUsd: '2' })).toBeNull();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('11'), gateway.audit);
  gateway.clock.advance(1);
  await gateway.applyChanges();

  await gateway.deliver(0);
  expect(sentEvents(gateway)).toEqual(['50 % of 10', '80 % of 10']);
  expect(await gateway.start({ key: 0, logShard: 0, maxUsd: '2.5' })).toBeNull();
  await gateway.deliver(0);

  expect(sentEvents(gateway)).toEqual(['50 % of 10', '80 % of 10', '100 % of 11']);
});

it('sends no events for a period that has ended before the amount was set', async () => {
  const gateway = await newGateway(Date.UTC(2026, 10, 30, 23, 50));
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  await gateway.applyChanges();
  await complete(gateway, 0, '6', '6');
  gateway.clock.advance(20 * 60_000);
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('5'), gateway.audit);
  await gateway.applyChanges();

  await complete(gateway, 0, '3', '3');

  expect(gateway.events.map(({ id, spent_usd }) => [id, spent_usd])).toEqual([
    [`${gateway.organizationId}/organization/c1/2026-11/10/50`, '6'],
    [`${gateway.organizationId}/organization/c1/2026-12/5/50`, '3'],
  ]);
});

it('divides the limit among as many items as the organization needs for its log shards', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('12'), gateway.audit);
  await gateway.applyChanges();
  await complete(gateway, 0, '3', '3');
  await gateway.raiseLogShards(24);
  await requestUpdate(gateway.budgetTables.directoryTable, scopeOf(gateway), { recount: false });

  await gateway.applyChanges();

  expect(await periodState(gateway, null)).toEqual([
    { remaining: '3', spent: '3', reserved: '0' },
    { remaining: '3', spent: '0', reserved: '0' },
    { remaining: '3', spent: '0', reserved: '0' },
  ]);
  const admitted = await Promise.all(
    Array.from({ length: 12 }, (_, index) => gateway.start({ key: 0, logShard: 2 * index, maxUsd: '1' })),
  );
  expect(admitted.filter((request) => request !== null)).toHaveLength(9);
});

/** Resolves to the number of admitted requests, each of up to 1, while a change is applied. */
async function startForSeconds(gateway: SimulatedGateway, seconds: number): Promise<number> {
  const applied = gateway.startApplying();
  let admitted = 0;
  for (let second = 0; second < seconds; second++) {
    await gateway.idle();
    if ((await gateway.start({ key: 0, logShard: 8, maxUsd: '1' })) !== null) admitted++;
    gateway.clock.advance(1000);
  }
  await gateway.waitFor(applied);
  return admitted;
}

it.each([
  { state: 'in effect', isActive: true, admitted: 10 },
  { state: 'not in effect yet', isActive: false, admitted: 15 },
])('adds items to a counter in a recount whose limit is $state', async ({ isActive, admitted }) => {
  recordLogLines();
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);
  if (isActive) await gateway.applyChanges();
  await requestUpdate(gateway.budgetTables.directoryTable, scopeOf(gateway), { recount: true });
  const isRecounting = async () => Number.isInteger((await gateway.countersOf(null))[0]?.recountFromMs);
  for (let failAtCall = 1; !(await isRecounting()); failAtCall++) {
    await expect(gateway.applyChanges({ failAtCall, isKilled: true })).rejects.toThrow();
  }
  await gateway.raiseLogShards(16);
  await requestUpdate(gateway.budgetTables.directoryTable, scopeOf(gateway), { recount: false });

  expect(await startForSeconds(gateway, 15)).toBe(admitted);
});

it('refuses nothing before the limit is in effect, although an earlier counter was not deleted', async () => {
  const gateway = await newGateway();
  const { budgetTables } = gateway;
  // The function has died after it had deleted the record of the earlier budget.
  const key = counterKey(scopeOf(gateway));
  await createCounterItem(budgetTables.budgetCounters, { key, id: 'earlier', itemCount: 1, limitUsd: '2' });
  await setBudget(budgetTables, scopeOf(gateway), 'month', hardBudget('10'), gateway.audit);

  expect(await startForSeconds(gateway, 15)).toBe(15);

  expect(await periodState(gateway, null)).toEqual([{ remaining: '-5', spent: '0', reserved: '15' }]);
});

it('settles a batch whose records are from many hours', async () => {
  const gateway = await newGateway();
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', hardBudget('1000'), gateway.audit);
  await gateway.applyChanges();
  for (let request = 0; request < 140; request++) {
    const started = await gateway.start({ key: 0, logShard: 0, maxUsd: '2' });
    await gateway.finish(started ?? expect.fail(), '0.5');
    gateway.clock.advance(10 * 60_000);
  }

  await gateway.deliver(0);

  expect(await periodState(gateway, null)).toEqual([{ remaining: '930', spent: '70', reserved: '0' }]);
});

it('keeps the item of a counter below 1 kB, while stream shards and days come and go', async () => {
  const gateway = await newGateway();
  await setBudget(
    gateway.budgetTables,
    scopeOf(gateway),
    'month',
    hardBudget('1234567.891234'),
    gateway.audit,
  );
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'day', hardBudget('1234567.891234'), gateway.audit);
  await gateway.applyChanges();
  let maxBytes = 0;
  for (let hour = 0; hour < 28; hour++) {
    // A stream shard lasts about four hours.
    if (hour % 4 === 0) gateway.startStreamShard();
    for (let request = 0; request < 6; request++) {
      await complete(gateway, 0, '123.456789012345', '12.345678901234');
      gateway.clock.advance(10 * 60_000);
    }
    const [counter] = await gateway.countersOf(null);
    maxBytes = Math.max(maxBytes, JSON.stringify(counter?.attributes).length);
  }

  expect(maxBytes).toBeLessThan(1024);
});
