import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { listBudgets } from '#lambdas/limits/budgets/status.ts';
import { requestUpdate } from '#lambdas/limits/budgets/store.ts';
import { periodOfCounter, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
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

/** With a monthly budget of 10, which is not in effect yet. */
async function startGateway(): Promise<SimulatedGateway> {
  const organizationId = `org_${++gateways}`;
  const gateway = await createSimulatedGateway(database, tables, { organizationId, keys: 1, startMs });
  const budget = { amountUsd: '10', hard: true, allowsUnpriced: false };
  await setBudget(gateway.budgetTables, scopeOf(gateway), 'month', budget, gateway.audit);
  return gateway;
}

const scopeOf = ({ organizationId }: SimulatedGateway) => ({ organizationId, keyId: null });
const start = async (gateway: SimulatedGateway, maxUsd: string) =>
  (await gateway.start({ key: 0, logShard: 0, maxUsd })) ?? expect.fail('The request was refused');

async function counterState(gateway: SimulatedGateway) {
  const [counter] = await gateway.countersOf(null);
  if (counter === undefined) expect.fail('There is no counter');
  const { remainingUsd, spentUsd } = periodOfCounter(counter, '2026-11');
  return { remaining: remainingUsd, spent: spentUsd, reserved: reservedUsd(counter, gateway.clock.nowMs) };
}

it('counts an entry once whose settlement was repeated after a recount', async () => {
  const gateway = await startGateway();
  const { budgetTables, clock } = gateway;
  await gateway.applyChanges();
  await gateway.finish(await start(gateway, '3'), '2');
  await gateway.deliver(0, { failsToSettle: true });
  expect(await counterState(gateway)).toEqual({ remaining: '8', spent: '0', reserved: '2' });
  await requestUpdate(budgetTables.directoryTable, scopeOf(gateway), { recount: true });

  await gateway.applyChanges();
  clock.advance(1000);
  await gateway.deliver(0);

  expect(await counterState(gateway)).toEqual({ remaining: '8', spent: '2', reserved: '0' });
});

it('counts an entry once that was written when the recount began, and settled after its end', async () => {
  const gateway = await startGateway();
  const request = await start(gateway, '3');
  const applied = gateway.startApplying();
  await gateway.idle();
  gateway.clock.advance(10_000);
  const [counter] = await gateway.countersOf(null);
  expect(counter?.recountFromMs).toBe(gateway.clock.nowMs);
  await gateway.finish(request, '2');
  await gateway.deliver(0, { failsToSettle: true });

  await gateway.waitFor(applied);
  expect(await counterState(gateway)).toEqual({ remaining: '10', spent: '0', reserved: '0' });
  await gateway.deliver(0);

  expect(await counterState(gateway)).toEqual({ remaining: '8', spent: '2', reserved: '0' });
});

it('waits until five minutes after a reprice, whose changes the rollups may not have counted', async () => {
  const gateway = await startGateway();
  const { budgetTables, costRollups, clock, organizationId } = gateway;
  const run = { organizationId, id: 'run', startedAt: new Date(startMs) };
  await beginReprice(costRollups, run);
  const applied = gateway.startApplying();
  await gateway.waitFor(clock.wait(60_000));

  const budgets = await listBudgets(budgetTables, organizationId, new Date(clock.nowMs));
  await endReprice(costRollups, run, new Date(clock.nowMs));

  expect(budgets.map(({ state }) => state)).toEqual(['activating']);
  expect(await gateway.waitFor(applied)).toBe(5 * 60_000);
});
