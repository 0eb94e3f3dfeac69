import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import {
  type CounterDependencies,
  type CounterDifference,
  compareCounters,
} from '#lambdas/costs/repair/compare-counters.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import {
  findBudgetRecord,
  requestUpdate,
  storeApplied,
  storeCounterId,
} from '#lambdas/limits/budgets/store.ts';
import { createCounterItem, deleteCounterItem } from '#lambdas/limits/counters/change.ts';
import { amountValue, periodAttribute } from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from './support/sequential-repair-fixture.ts';

const now = '2026-03-14T23:50:00.000Z';
const day = Date.parse('2026-03-14');
const month = Date.parse('2026-03-01');
const settleMs = 5 * 60_000;
const keyId = 'key_AAAAAAAAAAAAAAAA';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let fixture: SequentialRepairFixture;
let organization: BudgetScope;
let key: BudgetScope;
let audit: AuditTrail;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
});
afterAll(() => database.stop());

const directoryTable = () => ({
  client: database.documentClient,
  tableName: tables.directory,
  now: () => new Date(),
});
const budgetCounters = () => ({ client: database.documentClient, tableName: tables.budgetCounters });

/** The organization has spent 1 today and 8 before, half of it with a key and the one that has replaced it. */
beforeEach(async () => {
  fixture = createSequentialRepairFixture({ ...tables, client: database.documentClient }, now);
  fixture.logShards = 20;
  const { organizationId } = fixture;
  organization = { organizationId, keyId: null };
  key = { organizationId, keyId };
  audit = createTestAuditTrail(database, tables);
  const directory = createDirectoryStore(directoryTable());
  const created = { id: organizationId, name: 'Test', created_at: now, log_shards: fixture.logShards };
  await directory.createOrganization(created, audit);
  const old = apiKeyRecord({ id: keyId, organization_id: organizationId });
  await directory.createApiKey(old, hashApiKey(organizationId), audit);
  const rotation = await rotateApiKey(
    { directory },
    { organization: created, old, overlapMs: 60_000, audit },
  );
  for (const [shard, api_key_id] of [keyId, rotation?.apiKey.id, 'key_other', 'key_another'].entries()) {
    const fields = { api_key_id, shard: 5 * shard };
    await fixture.writeEntry('2026-03-14T10:00:00.000Z', { ...fields, cost_usd: '0.25' });
    await fixture.writeEntry('2026-03-02T10:00:00.000Z', { ...fields, cost_usd: '2' });
    await fixture.writeEntry('2026-02-28T10:00:00.000Z', { ...fields, cost_usd: '100' });
  }
  await fixture.processStream();
  await createBudget(organization, [
    { day: '0.4', month: '8' },
    { day: '0.6', month: '1' },
  ]);
  await createBudget(key, [{ day: '0.5', month: '4.5' }]);
});

async function createBudget(scope: BudgetScope, spent: { day: string; month: string }[]): Promise<void> {
  const budget = { amountUsd: '100', hard: false, allowsUnpriced: false };
  await setBudget(
    { directoryTable: directoryTable(), budgetCounters: budgetCounters() },
    scope,
    'day',
    budget,
    audit,
  );
  const record = await findBudgetRecord(directoryTable(), scope);
  if (record === null) throw new Error('The budget was not stored');
  await storeCounterId(directoryTable(), record, 'counter-1');
  for (const [shard, amounts] of spent.entries()) {
    await createCounterItem(budgetCounters(), {
      key: counterKey(scope, shard),
      id: 'counter-1',
      itemCount: spent.length,
      limitUsd: '0',
    });
    await addSpent(scope, '2026-03-14', amounts.day, shard);
    await addSpent(scope, '2026-03', amounts.month, shard);
    await addSpent(scope, '2026-03-13', '77', shard);
  }
  await storeApplied(directoryTable(), record);
}

async function addSpent(scope: BudgetScope, period: string, usd: string, shard = 0): Promise<void> {
  await database.documentClient.send(
    new UpdateCommand({
      TableName: tables.budgetCounters,
      Key: counterItemKey(counterKey(scope, shard)),
      UpdateExpression: 'ADD #spent :usd',
      ExpressionAttributeNames: { '#spent': periodAttribute('spent', period) },
      ExpressionAttributeValues: { ':usd': amountValue(usd) },
    }),
  );
}

/** `onWait` is called at each wait, with the number of waits so far. */
function compare(onWait: (count: number) => Promise<unknown> = async () => {}, settle = settleMs) {
  const dependencies: CounterDependencies = {
    ...fixture.dependencies({
      onWait: async () => {
        await onWait(fixture.waits.length);
      },
    }),
    directoryTable: directoryTable(),
    budgetCounters: budgetCounters(),
  };
  return compareCounters(dependencies, { organizationId: fixture.organizationId, settleMs: settle });
}

const allWaits = [settleMs, 10_000, 10_000];
const waits = () => fixture.waits.map(({ ms }) => ms);

describe('compareCounters', () => {
  it('finds no differences in all items of a counter and in all keys of a budget, without a wait', async () => {
    expect(await compare()).toEqual([]);
    expect(waits()).toEqual([]);
  });

  it('finds differences of a day and of a month that persist', async () => {
    await addSpent(organization, '2026-03', '0.000000000001', 1);
    await addSpent(key, '2026-03-14', '-0.5');

    expect(await compare()).toEqual<CounterDifference[]>([
      {
        scope: organization,
        period: 'month',
        startMs: month,
        spentUsd: '9.000000000001',
        expectedUsd: '9',
      },
      { scope: key, period: 'day', startMs: day, spentUsd: '0', expectedUsd: '0.5' },
    ]);
    expect(waits()).toEqual(allWaits);
  });

  it('counts a missing counter as nothing spent', async () => {
    await deleteCounterItem(budgetCounters(), counterKey(key));

    expect((await compare()).map(({ period, spentUsd }) => [period, spentUsd])).toEqual([
      ['day', '0'],
      ['month', '0'],
    ]);
  });

  it.each([
    ['disappears', 1, '-0.1'],
    ['changes', 3, '0.1'],
  ])('reports no difference that %s', async (_, atWait, usd) => {
    await addSpent(key, '2026-03-14', '0.1');

    const found = await compare(async (count) => {
      if (count === atWait) await addSpent(key, '2026-03-14', usd);
    });

    expect(found).toEqual([]);
    expect(waits()).toEqual(allWaits.slice(0, atWait));
  });

  it('reports a difference that requests in the meantime do not change', async () => {
    await addSpent(organization, '2026-03-14', '0.1');

    const found = await compare(async () => {
      await fixture.writeEntry('2026-03-14T23:51:00.000Z', { api_key_id: 'key_other', cost_usd: '1' });
      await fixture.processStream();
      for (const period of ['2026-03-14', '2026-03']) await addSpent(organization, period, '1');
    });

    expect(found).toEqual([
      { scope: organization, period: 'day', startMs: day, spentUsd: '4.1', expectedUsd: '4' },
    ]);
  });

  it('skips a budget that is activating, or changes in the meantime', async () => {
    await addSpent(organization, '2026-03-14', '1');
    await addSpent(key, '2026-03-14', '1');
    await requestUpdate(directoryTable(), organization, { recount: true });

    expect(await compare(() => requestUpdate(directoryTable(), key, { recount: true }))).toEqual([]);
    expect(waits()).toEqual([settleMs]);
  });

  it('compares a day that ends in the meantime, until its counter may remove it', async () => {
    await addSpent(key, '2026-03-14', '-0.5');

    const found = await compare();
    const afterHours = await compare(undefined, 2 * 3_600_000);

    expect(found).toEqual([{ scope: key, period: 'day', startMs: day, spentUsd: '0', expectedUsd: '0.5' }]);
    expect(afterHours).toEqual([]);
  });
});
