import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { type BudgetTables, removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { listPendingChanges } from '#lambdas/limits/budgets/pending-changes.ts';
import { listBudgets } from '#lambdas/limits/budgets/status.ts';
import {
  deleteBudgetRecord,
  findBudgetRecord,
  requestUpdate,
  storeApplied,
  storeCounterId,
} from '#lambdas/limits/budgets/store.ts';
import { createCounterItem } from '#lambdas/limits/counters/change.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { settleRecords } from '#lambdas/limits/counters/table.ts';
import {
  changedAfter,
  createDirectoryFixture,
  type DirectoryFixture,
} from '#test/lambdas/access/directory-fixture.ts';
import { testActor } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let tables: BudgetTables;
let organization: Organization;
let apiKey: ApiKey;
let scope: BudgetScope;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
  const budgetCounters = { client: database.documentClient, tableName: fixture.tables.budgetCounters };
  tables = { directoryTable: fixture.table, budgetCounters };
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
  apiKey = await fixture.createKey(organization);
  scope = { organizationId: organization.id, keyId: apiKey.id };
  fixture.clock.nowMs++;
});

const budget = { amountUsd: '25.5', hard: true, allowsUnpriced: false };
const larger = { amountUsd: '30', hard: false, allowsUnpriced: false };
const values = () => ({
  amount_usd: '25.5',
  hard: true,
  allow_unpriced: false,
  period: 'month',
  api_key_id: apiKey.id,
});
const largerValues = () => ({ ...values(), amount_usd: '30', hard: false });

async function budgetRecords() {
  const records = await fixture.audit.records(organization.id);
  return records.slice(2).map(({ action, before, after }) => [action, before, after]);
}

async function pendingChanges() {
  const pending = await listPendingChanges(fixture.table);
  return pending.find((change) => change.scope.keyId === scope.keyId)?.changes;
}

async function storedBudgets() {
  const list = await listBudgets(tables, organization.id, fixture.audit.now());
  return list.map(({ period, amountUsd, state }) => [period, amountUsd, state]);
}

const set = (values: typeof budget, to = tables, period: 'day' | 'month' = 'month') =>
  setBudget(to, scope, period, values, fixture.audit);

describe('setBudget', () => {
  it('stores the budget, its pending change and an audit record', async () => {
    await set(budget);

    expect(await storedBudgets()).toEqual([['month', '25.5', 'activating']]);
    expect(await pendingChanges()).toBe(1);
    expect((await fixture.audit.records(organization.id)).slice(2)).toMatchObject([
      {
        action: 'budget.set',
        actor: testActor,
        organizationId: organization.id,
        stage: 'completed',
        target: { type: 'budget', id: `${apiKey.id}/month`, name: 'production' },
        before: null,
        after: values(),
      },
    ]);
  });

  it('names the organization as the target of its own budgets', async () => {
    const own = { organizationId: organization.id, keyId: null };

    await setBudget(tables, own, 'day', budget, fixture.audit);

    const [record] = (await fixture.audit.records(organization.id)).slice(2);
    expect(record?.target).toEqual({ type: 'budget', id: `${organization.id}/day`, name: null });
    expect(record?.after).toEqual({ ...values(), period: 'day', api_key_id: null });
  });

  it('records the budget that it replaces, and leaves the other period', async () => {
    await set(budget);
    await set(larger, tables, 'day');
    fixture.clock.nowMs++;

    await set(larger);

    expect((await budgetRecords()).at(-1)).toEqual(['budget.set', values(), largerValues()]);
    expect(await storedBudgets()).toEqual([
      ['day', '30', 'activating'],
      ['month', '30', 'activating'],
    ]);
  });

  it('changes nothing and has no record for the same budget', async () => {
    await set(budget);

    await set(budget);

    expect(await budgetRecords()).toHaveLength(1);
    expect(await pendingChanges()).toBe(1);
  });

  it('records what another caller sets at the same time as the value before', async () => {
    const racing = changedAfter(fixture.table, { operation: 'GetCommand', call: 1 }, async () => {
      await set(budget);
      fixture.clock.nowMs++;
    });

    await set(larger, { ...tables, directoryTable: racing });

    expect(await budgetRecords()).toEqual([
      ['budget.set', null, values()],
      ['budget.set', values(), largerValues()],
    ]);
  });

  it('is repeated when the budget function has deleted the record of removed budgets in the meantime', async () => {
    await set(budget);
    await removeBudget(tables, scope, 'month', fixture.audit);
    const racing = changedAfter(fixture.table, { operation: 'GetCommand', call: 1 }, async () => {
      const record = await findBudgetRecord(fixture.table, scope);
      await deleteBudgetRecord(fixture.table, record ?? expect.fail());
    });

    await set(larger, { ...tables, directoryTable: racing });

    expect(await storedBudgets()).toEqual([['month', '30', 'activating']]);
    expect((await budgetRecords()).filter(([, before]) => before === null)).toHaveLength(2);
  });
});

describe('removeBudget', () => {
  it('removes the budget, with a pending change and an audit record', async () => {
    await set(budget);
    fixture.clock.nowMs++;

    expect(await removeBudget(tables, scope, 'month', fixture.audit)).toBe(true);

    expect(await storedBudgets()).toEqual([]);
    expect(await pendingChanges()).toBe(2);
    expect((await budgetRecords()).at(-1)).toEqual(['budget.removed', values(), null]);
  });

  it('returns false and has no record without such a budget', async () => {
    await set(budget, tables, 'day');

    expect(await removeBudget(tables, scope, 'month', fixture.audit)).toBe(false);

    expect(await budgetRecords()).toHaveLength(1);
    expect(await pendingChanges()).toBe(1);
  });

  it('records what another caller sets at the same time', async () => {
    await set(budget);
    fixture.clock.nowMs++;
    const racing = changedAfter(fixture.table, { operation: 'GetCommand', call: 1 }, async () => {
      await set(larger);
      fixture.clock.nowMs++;
    });

    await removeBudget({ ...tables, directoryTable: racing }, scope, 'month', fixture.audit);

    expect((await budgetRecords()).slice(1)).toEqual([
      ['budget.set', values(), largerValues()],
      ['budget.removed', largerValues(), null],
    ]);
  });
});

describe('listBudgets', () => {
  it('has no spending of a new budget before it is in effect', async () => {
    await set(budget);
    const record = (await findBudgetRecord(fixture.table, scope)) ?? expect.fail();
    await storeCounterId(fixture.table, record, 'c1');
    const item = { key: counterKey(scope), id: 'c1', itemCount: 1, limitUsd: '25.5' };
    const counter = await createCounterItem(tables.budgetCounters, item);
    // Entries are counted from then on; what the month has cost before is still missing.
    const atMs = fixture.clock.nowMs;
    const entry = { createdAtMs: atMs, writtenAtMs: atMs, costUsd: '2', pendingUsd: '0' };
    await settleRecords(tables.budgetCounters, counter, {
      source: 'shardId-1',
      records: [{ ...entry, isReplayed: false, sequenceNumber: '1' }],
      now: fixture.audit.now(),
    });

    const [activating] = await listBudgets(tables, organization.id, fixture.audit.now());
    await storeApplied(fixture.table, record);
    const [active] = await listBudgets(tables, organization.id, fixture.audit.now());

    expect(activating).toMatchObject({ state: 'activating', spentUsd: null, reservedUsd: null });
    expect(active).toMatchObject({ state: 'active', spentUsd: '2', reservedUsd: '0' });
  });
});

describe('listBudgets of an organization', () => {
  it('adds up the items of its counter that exist, without those of an earlier counter', async () => {
    const own = { organizationId: organization.id, keyId: null };
    await setBudget(tables, own, 'month', budget, fixture.audit);
    const record = (await findBudgetRecord(fixture.table, own)) ?? expect.fail();
    await storeCounterId(fixture.table, record, 'c2');
    await storeApplied(fixture.table, record);
    const at = fixture.audit.now();
    const counters = [
      { index: 0, id: 'c2', costUsd: '2' },
      { index: 1, id: 'c1', costUsd: '30' },
      { index: 2, id: 'c2', costUsd: '0.5' },
    ];
    for (const { index, id, costUsd } of counters) {
      const item = { key: counterKey(own, index), id, itemCount: 4, limitUsd: '25.5' };
      const counter = await createCounterItem(tables.budgetCounters, item);
      const times = { createdAtMs: at.getTime(), writtenAtMs: at.getTime() };
      await settleRecords(tables.budgetCounters, counter, {
        source: 'shardId-1',
        records: [{ ...times, costUsd, pendingUsd: '0', isReplayed: false, sequenceNumber: '1' }],
        now: at,
      });
    }

    const [listed] = await listBudgets(tables, organization.id, at);

    expect(listed).toMatchObject({ scope: own, state: 'active', spentUsd: '2.5', reservedUsd: '0' });
  });
});

describe('requestUpdate', () => {
  it('adds a pending change of budgets that exist, without an audit record', async () => {
    expect(await requestUpdate(fixture.table, scope, { recount: true })).toBe(false);
    await set(budget);

    expect(await requestUpdate(fixture.table, scope, { recount: true })).toBe(true);

    expect(await findBudgetRecord(fixture.table, scope)).toMatchObject({ revision: 2, needsRecount: true });
    expect(await pendingChanges()).toBe(2);
    expect(await budgetRecords()).toHaveLength(1);
  });
});
