import { afterAll, beforeAll, expect, it } from 'vitest';
import { setBudget } from '#lambdas/limits/budgets.ts';
import { periodOfCounter, reservedUsd } from '#lambdas/limits/counter.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { createSimulatedGateway } from './simulated-gateway.ts';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let gateways = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(() => database.stop());

const startMs = Date.UTC(2026, 10, 23, 12);
const newGateway = () =>
  createSimulatedGateway(database, tables, { organizationId: `org_${++gateways}`, keys: 2, startMs });

const hardBudget = (amountUsd: string) => ({ amountUsd, hard: true, allowsUnpriced: false });

it('includes what the period has already cost, within 30 seconds', async () => {
  const gateway = await newGateway();
  const scope = { organizationId: gateway.organizationId, keyId: null };
  const first = await gateway.start({ key: 0, logShard: 0, maxUsd: '5' });
  gateway.finish(first ?? expect.fail(), '4');
  await gateway.deliver(0);
  await setBudget(gateway.budgetTables, scope, 'month', hardBudget('10'));

  const tookMs = await gateway.applyChanges();

  const [counter] = await gateway.countersOf(null);
  expect(tookMs).toBeLessThan(30_000);
  expect(counter && periodOfCounter(counter, '2026-11')).toMatchObject({ roomUsd: '6', spentUsd: '4' });
  expect(await gateway.start({ key: 1, logShard: 0, maxUsd: '6.1' })).toBeNull();
  const second = await gateway.start({ key: 1, logShard: 0, maxUsd: '6' });
  expect(second?.reservation).toEqual({ usd: '6', counters: ['organization/c1/0'] });
  gateway.finish(second ?? expect.fail(), '1.5');
  await gateway.deliver(0);
  const [settled] = await gateway.countersOf(null);
  expect(settled && periodOfCounter(settled, '2026-11')).toMatchObject({ roomUsd: '4.5', spentUsd: '5.5' });
  expect(settled && reservedUsd(settled)).toBe('0');
  expect(gateway.events.map(({ id, spent_usd }) => [id, spent_usd])).toEqual([
    [`${gateway.organizationId}/organization/c1/2026-11/50`, '5.5'],
  ]);
});
