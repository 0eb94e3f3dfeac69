import { afterAll, beforeAll, expect, it } from 'vitest';
import { periodCost } from '#lambdas/costs/budgets/period-costs.ts';
import { periodOfCounter, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  assertConsistent,
  deliverAll,
  finishApplying,
  keyCount,
  type Run,
  runStep,
  type Step,
  schedule,
} from './support/schedules.ts';
import {
  type CallFailure,
  createSimulatedGateway,
  type SimulatedGateway,
} from './support/simulated-gateway.ts';

const numRuns = byTestForm({ short: 5, long: 1000 });

let database: EmbeddedDynamoDB;
let tables: TestTables;
let gateways = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(async () => {
  await database.stop();
});

const newRun = async (startMs: number): Promise<Run> => ({
  gateway: await createSimulatedGateway(database, tables, {
    organizationId: `org_${++gateways}`,
    keys: keyCount,
    startMs,
  }),
  limits: new Map(),
  applying: null,
});

it('counts a batch once that has failed until shortly before its records leave the stream', async () => {
  const run = await newRun(Date.UTC(2026, 10, 23, 12));
  const steps: Step[] = [
    { kind: 'scale', logShards: 8 },
    { kind: 'set', owner: null, period: 'month', amountUsd: '10.00' },
    { kind: 'pause' },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '1.00' },
    { kind: 'start', key: 0, logShard: 1, maxUsd: '1.00' },
    { kind: 'finish', pick: 0, share: 100 },
    { kind: 'finish', pick: 0, share: 100 },
    // The rows count it now. After 27 hours, they would forget that when they count the record of the other shard.
    { kind: 'deliver', shard: 1, count: 1, failure: { failsToSettle: true } },
    { kind: 'advance', minutes: 27 * 60 },
    { kind: 'recount', owner: null },
  ];

  for (const step of steps) await runStep(run, step);
  await finishApplying(run);

  await assertConsistent(run);
});

/** No call of a change in progress overlaps with the next step. */
async function runInOrder(run: Run, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await runStep(run, step);
    await run.gateway.idle();
  }
}

/** According to the rows of the organization, and those of its keys. */
async function monthlyCosts({ costRollups, organizationId, keyIds, clock }: SimulatedGateway) {
  const query = { organizationId, generation: 0, logShards: 8, atMs: clock.nowMs };
  return {
    organization: await periodCost(costRollups, { ...query, keyIds: null }, 'month'),
    keys: await periodCost(costRollups, { ...query, keyIds }, 'month'),
  };
}

async function monthlyCounters(gateway: SimulatedGateway) {
  const counters = await gateway.countersOf(null);
  return counters
    .map((counter) => periodOfCounter(counter, '2026-11'))
    .map(({ remainingUsd, spentUsd }) => ({ remaining: remainingUsd, spent: spentUsd }));
}

it.each([
  { again: 'at the last moment', hours: 24, countedUsd: [null, null] },
  // The totals would have forgotten the record after 27 hours, so the stream has delivered it before.
  { again: 'before it leaves the stream', hours: 27, countedUsd: ['0.6', '0.2'] },
])(
  'counts a repriced entry once whose record was delivered in part, and again $again',
  async ({ hours, countedUsd }) => {
    const run = await newRun(Date.UTC(2026, 10, 23, 12));
    const { gateway } = run;
    await runInOrder(run, [
      { kind: 'start', key: 0, logShard: 0, maxUsd: '1.00' },
      { kind: 'finish', pick: 0, share: 60 },
      { kind: 'deliver', shard: 0, count: 1, failure: { failAtCall: 3, takesEffect: true } },
    ]);
    expect(await monthlyCosts(gateway)).toEqual({ organization: '0.6', keys: '0' });

    await runInOrder(run, [
      { kind: 'scale', logShards: 8 },
      { kind: 'advance', minutes: 60 },
      // In the other shard of the stream, but in the same rows of the organization.
      { kind: 'start', key: 0, logShard: 3, maxUsd: '1.00' },
      { kind: 'finish', pick: 0, share: 20 },
      { kind: 'set', owner: null, period: 'month', amountUsd: '10.00' },
      { kind: 'advance', minutes: (hours - 1) * 60 },
    ]);
    expect(gateway.requests.map((request) => request.countedUsd)).toEqual(countedUsd);

    await runInOrder(run, [
      { kind: 'reprice', pick: 0, share: 30 },
      { kind: 'deliver', shard: 1, count: 1, failure: { failsToSettle: true } },
      { kind: 'reprice', pick: 0, share: 50 },
      { kind: 'apply' },
      { kind: 'deliver', shard: 0, count: 1, failure: {} },
      { kind: 'deliver', shard: 0, count: 2, failure: { failsToSettle: true } },
      { kind: 'advance', minutes: 1 },
    ]);
    expect(run.applying?.isDone).toBe(true);
    expect(await monthlyCosts(gateway)).toEqual({ organization: '0.7', keys: '0.7' });
    expect(await monthlyCounters(gateway)).toEqual([{ remaining: '9.3', spent: '0.7' }]);

    // Settles what the recount has included already.
    await deliverAll(run);

    expect(gateway.requests.map((request) => request.countedUsd)).toEqual(['0.5', '0.2']);
    expect(await monthlyCosts(gateway)).toEqual({ organization: '0.7', keys: '0.7' });
    expect(await monthlyCounters(gateway)).toEqual([{ remaining: '9.3', spent: '0.7' }]);
  },
);

const recoverPart = (failure: CallFailure = {}): Step => ({ kind: 'recover', pick: 0, share: 50, failure });
const seconds = (count: number): Step => ({ kind: 'advance', minutes: count / 60 });

it.each([
  ['before the budget is set', true, [recoverPart(), seconds(1)], []],
  ['in the second of the change', true, [], [recoverPart()]],
  ['before the scheduled start of the recount', true, [], [seconds(5), recoverPart()]],
  ['at the start of the recount', false, [], [seconds(10), recoverPart()]],
  ['after the start of the recount', false, [], [seconds(15), recoverPart()]],
  [
    'at a second attempt, after the first process was killed before the write',
    true,
    [recoverPart({ failAtCall: 2 })],
    [seconds(5), recoverPart()],
  ],
  [
    'by a process that was killed after the write',
    true,
    [recoverPart({ failAtCall: 2, takesEffect: true })],
    [seconds(1)],
  ],
] as const)(
  'counts an entry that is restored %s, while counting is delayed',
  async (_, isAwaited, before, after) => {
    const run = await newRun(Date.UTC(2026, 10, 23, 12));
    const { gateway } = run;
    await runInOrder(run, [
      { kind: 'start', key: 0, logShard: 0, maxUsd: '1.00' },
      { kind: 'kill', pick: 0 },
      { kind: 'start', key: 0, logShard: 0, maxUsd: '1.00' },
      { kind: 'advance', minutes: 5 },
      { kind: 'finish', pick: 0, share: 20 },
      { kind: 'deliver', shard: 0, count: 1, failure: {} },
      { kind: 'advance', minutes: 25 },
      ...before,
      { kind: 'set', owner: null, period: 'month', amountUsd: '10.00' },
      { kind: 'apply' },
      ...after,
      // The newest entry has been counted, and the restored one not.
      { kind: 'advance', minutes: 3 },
    ]);
    const wasApplied = run.applying?.isDone;
    await finishApplying(run);
    await deliverAll(run);

    expect(await monthlyCosts(gateway)).toEqual({ organization: '0.7', keys: '0.7' });
    expect(await monthlyCounters(gateway)).toEqual([{ remaining: '9.3', spent: '0.7' }]);
    await assertConsistent(run);
    // From the start of the recount on, entries come from the stream.
    expect(wasApplied).toBe(!isAwaited);
  },
);

it('admits requests up to a new budget whatever earlier ones have reserved from a removed budget', async () => {
  const run = await newRun(Date.UTC(2026, 10, 23, 12));
  await runInOrder(run, [
    { kind: 'set', owner: null, period: 'day', amountUsd: '1.00' },
    { kind: 'pause' },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '0.40' },
    { kind: 'remove', owner: null, period: 'day' },
    { kind: 'pause' },
    { kind: 'set', owner: null, period: 'month', amountUsd: '1.00' },
    { kind: 'pause' },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '1.00' },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '0.01' },
  ]);

  expect(run.gateway.requests.map(({ maxUsd, state }) => [maxUsd, state])).toEqual([
    ['0.40', 'running'],
    ['1.00', 'running'],
  ]);
  expect(await monthlyCounters(run.gateway)).toEqual([{ remaining: '0', spent: '0' }]);
});

it('admits nothing beyond a limit after reservations of killed requests were released in another item', async () => {
  const run = await newRun(Date.UTC(2026, 10, 23, 12));
  const { gateway } = run;
  await runInOrder(run, [
    { kind: 'scale', logShards: 16 },
    { kind: 'set', owner: null, period: 'day', amountUsd: '20.00' },
    { kind: 'pause' },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '5.00' },
    { kind: 'finish', pick: 0, share: 100 },
    { kind: 'start', key: 0, logShard: 0, maxUsd: '2.00' },
    { kind: 'start', key: 0, logShard: 8, maxUsd: '3.00' },
    { kind: 'set', owner: null, period: 'day', amountUsd: '6.00' },
    { kind: 'pause' },
    // Both functions are killed.
    { kind: 'advance', minutes: 46 },
  ]);
  const remaining = async () =>
    (await gateway.countersOf(null)).map((counter) => periodOfCounter(counter, '2026-11-23').remainingUsd);
  expect(await remaining()).toEqual(['-4', '0']);

  expect(await gateway.start({ key: 0, logShard: 8, maxUsd: '1.01' })).toBeNull();
  await deliverAll(run);
  expect(await remaining()).toEqual(['0', '1']);
  expect(await gateway.start({ key: 0, logShard: 8, maxUsd: '1.01' })).toBeNull();
  expect(await gateway.start({ key: 0, logShard: 0, maxUsd: '1.00' })).not.toBeNull();
});

it(
  'admits nothing beyond a limit, leaks no reservation, and counts every entry once',
  async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async ({ limits, startMs, steps }) => {
        const run = await newRun(startMs);
        const { gateway } = run;
        for (const limit of limits) await runStep(run, { kind: 'set', ...limit });
        await finishApplying(run);

        for (const step of steps) await runStep(run, step);
        await finishApplying(run);
        await deliverAll(run);
        await assertConsistent(run);

        // All functions have ended: the leases of killed ones are released for a request that would be refused, or when its
        // log entry is counted. Costs of requests that have ended are pending until their entries are restored.
        for (const request of gateway.requests.filter(({ state }) => state === 'running')) {
          await gateway.kill(request);
        }
        gateway.clock.advance(2 * 60_000);
        for (const request of gateway.requests.filter(({ state, ended }) => state === 'killed' && ended)) {
          await gateway.recover(request, '0');
        }
        await deliverAll(run);
        for (let key = 0; key < keyCount; key++) {
          const refused = await gateway.start({ key, logShard: 0, maxUsd: '99999' });
          if (refused !== null) await gateway.kill(refused);
        }
        await deliverAll(run);
        await assertConsistent(run);
        for (const keyId of [null, ...gateway.keyIds]) {
          const counters = await gateway.countersOf(keyId);
          if (counters.some(({ limits: { day, month } }) => Number(day) < 9999 || Number(month) < 9999)) {
            const all = counters.map((counter) => reservedUsd(counter, gateway.clock.nowMs));
            expect(all).toEqual(counters.map(() => '0'));
          }
        }
      }),
      // Shrinking such schedules takes longer than all runs.
      { numRuns, endOnFailure: true },
    );
  },
  byTestForm({ short: 120_000, long: 3_600_000 }),
);
