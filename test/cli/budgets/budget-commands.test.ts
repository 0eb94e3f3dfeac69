import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { listPendingChanges } from '#lambdas/limits/budgets/pending-changes.ts';
import {
  type BudgetRecord,
  findBudgetRecord,
  storeApplied,
  storeCounterId,
} from '#lambdas/limits/budgets/store.ts';
import { createCounterItem } from '#lambdas/limits/counters/change.ts';
import {
  amountValue,
  pendingAttribute,
  periodAttribute,
  periodsAt,
} from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
let organizationId: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = await gateway.createOrganization();
});

const storeKey = async (fields: Partial<ApiKey> = {}) =>
  (await gateway.storeKey({ organization_id: organizationId, ...fields })).id;

const budget = (command: string, ...options: string[]) =>
  gateway.run(['budget', ...command.split(' '), '--organization', organizationId, ...options]);

const directoryTable = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.directory,
});
const budgetCounters = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.budgetCounters,
});
const ofOrganization = (): BudgetScope => ({ organizationId, keyId: null });
const find = (scope: BudgetScope) => findBudgetRecord(directoryTable(), scope);

async function listed(...options: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await budget('list --json', ...options)).stdout);
}

function periodBounds(period: 'day' | 'month') {
  const nowMs = Date.now();
  return {
    period_start: new Date(startOfPeriod(period, nowMs)).toISOString(),
    period_end: new Date(endOfPeriod(period, nowMs)).toISOString(),
  };
}

/** Creates the counter that the budget function would create, with an item for each of the given amounts. */
async function putIntoEffect(scope: BudgetScope, items: Record<string, string>[]): Promise<void> {
  const record = (await find(scope)) as BudgetRecord;
  await storeCounterId(directoryTable(), record, 'counter-1');
  for (const [shard, amounts] of items.entries()) {
    const key = counterKey(scope, shard);
    await createCounterItem(budgetCounters(), {
      key,
      id: 'counter-1',
      itemCount: items.length,
      limitUsd: '0',
    });
    const names = Object.keys(amounts);
    await gateway.database.documentClient.send(
      new UpdateCommand({
        TableName: gateway.tables.budgetCounters,
        Key: counterItemKey(key),
        UpdateExpression: `SET ${names.map((_, index) => `#a${index} = :a${index}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#a${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          names.map((name, index) => [`:a${index}`, amountValue(amounts[name] ?? '0')]),
        ),
      }),
    );
  }
  await storeApplied(directoryTable(), record);
}

describe('budget set', () => {
  it('stores the exact amount as a change to be put into effect, and prints the budget', async () => {
    const { exitCode, stdout, stderr } = await budget(
      'set --amount 999999999.100000 --period month --hard --allow-unpriced --json',
    );

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      organization_id: organizationId,
      api_key_id: null,
      period: 'month',
      amount_usd: 999999999.1,
      hard: true,
      allow_unpriced: true,
      state: 'activating',
      ...periodBounds('month'),
      spent_usd: null,
      reserved_usd: null,
      refused_requests: 0,
      events: [],
    });
    expect(await find(ofOrganization())).toMatchObject({
      budgets: { month: { amountUsd: '999999999.1', hard: true, allowsUnpriced: true } },
      revision: 1,
      appliedRevision: 0,
    });
    expect(await listPendingChanges(directoryTable())).toContainEqual({
      scope: ofOrganization(),
      changes: 1,
      since: expect.stringMatching(/^20.*Z$/),
    });
  });

  it('replaces the budget of the same period, keeps the other one, and says when it takes effect', async () => {
    await budget('set --amount 5 --period day --hard');
    await budget('set --amount 100 --period month');

    const { stdout } = await budget('set --amount 000.000001 --period day');

    const [headings, row, ...others] = stdout.split('\n');
    expect(headings).toMatch(
      /^ORGANIZATION +KEY +PERIOD +AMOUNT USD +SPENT USD +RESERVED USD +REFUSED +LIMIT +STATE +ENDS +EVENTS$/,
    );
    expect(row?.split(/ {3,}/)).toEqual([
      ...[organizationId, '-', 'day', '0.000001', '-', '-', '0', 'soft', 'activating'],
      ...[periodBounds('day').period_end, '-'],
    ]);
    expect(others).toEqual([
      '',
      'The budget takes effect within 30 seconds. It includes what its period has already cost.',
      '',
    ]);
    expect(await listed()).toMatchObject([
      { period: 'day', amount_usd: 0.000001, hard: false },
      { period: 'month', amount_usd: 100 },
    ]);
  });

  it('sets the budget of the first key for a key that has replaced it', async () => {
    const first = await storeKey({ revoked_at: '2026-01-02T00:00:00.000Z' });
    const replacement = await storeKey({ budget_key_id: first });

    const { exitCode, stdout, stderr } = await budget(
      `set --amount 1 --period day --json --key ${replacement}`,
    );

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `note: ${replacement} has replaced ${first}, and shares its budgets\n`,
    });
    expect(JSON.parse(stdout)).toMatchObject({ api_key_id: first });
    expect(await find({ organizationId, keyId: replacement })).toBeNull();
  });

  it.each([
    ['--amount 0 --period day', /^error: --amount must be more than 0: .* use "key revoke"\n$/],
    [
      '--amount 0.0000001 --period day',
      /^error: --amount must be an amount of US dollars with at most 9 digits/,
    ],
    ['--amount 1000000000 --period day', /^error: --amount must be .* 9 digits and 6 decimals, such as 250/],
    ['--amount 1e3 --period day', /^error: --amount must be/],
    ['--amount -1 --period day', /^error: --amount must be/],
    ['--amount 1 --period week', /^error: --period must be day or month\n$/],
    [
      '--amount 1 --period day --allow-unpriced',
      /^error: --allow-unpriced requires --hard, because other budgets refuse no requests\n$/,
    ],
    ['--amount 1', /^error: required option '--period <period>' not specified \(see --help\)\n$/],
    ['--amount 1 --period day --key pt_live_1', /^error: --key must be a key id, which starts with "key_"/],
  ])('rejects %s and changes nothing', async (options, message) => {
    const { exitCode, stdout, stderr } = await budget(`set ${options}`);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(await find(ofOrganization())).toBeNull();
  });

  it('rejects an unknown organization, an unknown or foreign key and a revoked key', async () => {
    const foreign = await storeKey({ organization_id: 'org_other' });
    const revoked = await storeKey({ revoked_at: '2026-01-02T00:00:00.000Z' });
    const keys = `see "key list --organization ${organizationId}"`;
    const set = 'set --amount 1 --period day';

    expect(await gateway.run(['budget', ...set.split(' '), '--organization', 'org_none'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Organization org_none was not found: see "org list"\n',
    });
    for (const [key, problem] of [
      ['key_none', `was not found in organization ${organizationId}: ${keys}`],
      [foreign, `was not found in organization ${organizationId}: ${keys}`],
      [revoked, `is revoked: pass an active one, ${keys}`],
    ]) {
      expect(await budget(`${set} --key ${key}`)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `error: Key ${key} ${problem}\n`,
      });
    }
    expect(await listed()).toEqual([]);
  });
});

describe('budget list', () => {
  it('prints what the current periods have cost, over all items of the counter', async () => {
    const periods = periodsAt(Date.now());
    const key = await storeKey();
    await budget(`set --amount 0.5 --period day --key ${key}`);
    await budget('set --amount 10 --period day --hard');
    await budget('set --amount 200.25 --period month --hard --allow-unpriced');
    await putIntoEffect(ofOrganization(), [
      {
        [periodAttribute('spent', periods.day)]: '8.000000000001',
        [periodAttribute('spent', periods.month)]: '90',
        [periodAttribute('notified', periods.day)]: '80',
        [pendingAttribute(1)]: '0.75',
      },
      { [periodAttribute('spent', periods.month)]: '-1.5', [pendingAttribute(2)]: '0.5' },
    ]);

    const { exitCode, stdout, stderr } = await budget('list');
    const json = (await budget('list --json')).stdout;

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { day, month } = { day: periodBounds('day'), month: periodBounds('month') };
    expect(
      stdout
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ {3,}/)),
    ).toEqual([
      [
        ...[organizationId, '-', 'day', '10', '8.000000000001', '1.25', '0', 'hard', 'active'],
        ...[day.period_end, '50 %, 80 %'],
      ],
      [
        ...[organizationId, '-', 'month', '200.25', '88.5', '1.25', '0', 'hard, allows unpriced', 'active'],
        ...[month.period_end, '-'],
      ],
      [organizationId, key, 'day', '0.5', '-', '-', '0', 'soft', 'activating', day.period_end, '-'],
      [''],
    ]);
    const organization = { organization_id: organizationId, api_key_id: null, hard: true, state: 'active' };
    expect(JSON.parse(json)).toEqual([
      {
        ...organization,
        period: 'day',
        amount_usd: 10,
        allow_unpriced: false,
        ...day,
        spent_usd: 8.000000000001,
        reserved_usd: 1.25,
        refused_requests: 0,
        events: [50, 80],
      },
      {
        ...organization,
        period: 'month',
        amount_usd: 200.25,
        allow_unpriced: true,
        ...month,
        spent_usd: 88.5,
        reserved_usd: 1.25,
        refused_requests: 0,
        events: [],
      },
      {
        organization_id: organizationId,
        api_key_id: key,
        hard: false,
        state: 'activating',
        period: 'day',
        amount_usd: 0.5,
        allow_unpriced: false,
        ...day,
        spent_usd: null,
        reserved_usd: null,
        refused_requests: 0,
        events: [],
      },
    ]);
    expect(json).toContain('"spent_usd": 8.000000000001,');
  });

  it('lists the budgets of all organizations by default', async () => {
    await budget('set --amount 1 --period day');
    const first = organizationId;
    organizationId = await gateway.createOrganization();
    await budget('set --amount 2 --period day');

    const all: { organization_id: string; amount_usd: number }[] = JSON.parse(
      (await gateway.run(['budget', 'list', '--json'])).stdout,
    );

    const amounts = new Map(all.map((each) => [each.organization_id, each.amount_usd]));
    expect([amounts.get(first), amounts.get(organizationId)]).toEqual([1, 2]);
    expect(await listed()).toMatchObject([{ organization_id: organizationId }]);
  });

  it('explains how to set a budget when there are none', async () => {
    expect(await budget('list')).toEqual({
      exitCode: 0,
      stdout:
        'There are no budgets: set one with "budget set --organization ORG --amount USD --period month".\n',
      stderr: '',
    });
  });
});

describe('budget remove', () => {
  it('removes the budget of one period', async () => {
    await budget('set --amount 1 --period day');
    await budget('set --amount 20 --period month');

    const removed = await budget('remove --period day');
    const repeated = await budget('remove --period day');

    expect(removed).toEqual({
      exitCode: 0,
      stdout: `The budget of ${organizationId} for the day was removed. This takes effect within 30 seconds.\n`,
      stderr: '',
    });
    expect(repeated).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: ${organizationId} has no budget for the day: see "budget list --organization ${organizationId}"\n`,
    });
    expect(await listed()).toMatchObject([{ period: 'month', amount_usd: 20 }]);
  });

  it('removes the budget that a revoked key shares with the first one', async () => {
    const first = await storeKey();
    const replacement = await storeKey({ budget_key_id: first, revoked_at: '2026-01-02T00:00:00.000Z' });
    await budget(`set --amount 1 --period month --key ${first}`);

    const { stdout, stderr } = await budget(`remove --period month --json --key ${replacement}`);

    expect(JSON.parse(stdout)).toEqual({
      organization_id: organizationId,
      api_key_id: first,
      period: 'month',
    });
    expect(stderr).toBe(`note: ${replacement} has replaced ${first}, and shares its budgets\n`);
    expect(await listed()).toEqual([]);
  });
});
