import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Organization } from '#lambdas/access/directory.ts';
import type { AuditedChange } from '#lambdas/audit/audit-trail.ts';
import { newKeyBudget } from '#lambdas/limits/budgets/budgets.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture = await createDirectoryFixture(database);
  organization = await fixture.createOrganization();
});

const newKey = () => apiKeyRecord({ organization_id: organization.id, id: 'key_1' });
const keyRecords = async () => {
  const records = await fixture.audit.records(organization.id);
  return records.filter(({ action }) => action !== 'organization.created');
};

describe('createApiKey', () => {
  it('stores the record, and what requests read under the hash, without the key itself', async () => {
    const { directory, audit, tables } = fixture;

    expect(await directory.createApiKey(newKey(), 'abcdef', audit)).toBe(true);

    const find = async (Key: { pk: string; sk: string }) => {
      const get = new GetCommand({ TableName: tables.directory, Key });
      return (await database.documentClient.send(get)).Item;
    };
    const access = { pk: 'key#abcdef', sk: 'key' };
    const record = { pk: `keys#${organization.id}`, sk: 'key_1' };
    const { id, organization_id, expires_at, rotation, revoked_at } = newKey();
    expect(await find(access)).toEqual({
      ...access,
      ...{ id, organization_id, expires_at, rotation, revoked_at },
    });
    expect(await find(record)).toEqual({ ...record, ...newKey(), key_hash: 'abcdef' });
  });

  it('records its public fields, without the hash', async () => {
    const { directory, audit } = fixture;

    await directory.createApiKey(newKey(), 'abcdef', audit);

    expect(await keyRecords()).toMatchObject([
      {
        action: 'api_key.created',
        organizationId: organization.id,
        stage: 'completed',
        target: { type: 'api_key', id: 'key_1', name: 'production' },
        before: null,
        after: { name: 'production', last_four: 'wXyZ', expires_at: null },
      },
    ]);
    expect(JSON.stringify(await keyRecords())).not.toContain('abcdef');
  });

  it('writes further changes with it, each with its record', async () => {
    const { directory, audit, table } = fixture;
    const tables = {
      directoryTable: table,
      budgetCounters: { ...table, tableName: fixture.tables.budgetCounters },
    };
    const scope = { organizationId: organization.id, keyId: 'key_1' };
    const budget = { amountUsd: '25.5', hard: true, allowsUnpriced: false };

    const also = newKeyBudget(tables, scope, 'month', budget);
    await directory.createApiKey(newKey(), 'abcdef', audit, also);

    const records = await keyRecords();
    expect(records.map(({ action }) => action).sort()).toEqual(['api_key.created', 'budget.set']);
    expect(records.find(({ action }) => action === 'budget.set')).toMatchObject({
      target: { type: 'budget', id: 'key_1/month' },
      before: null,
      after: { amount_usd: '25.5', hard: true, allow_unpriced: false, period: 'month', api_key_id: 'key_1' },
    });
  });

  it('rejects a hash or an id that exists, or when the condition of a further change fails', async () => {
    const { directory, audit, table } = fixture;
    const apiKey = await fixture.createKey(organization, { id: 'key_1' }, 'abcdef');
    const ConditionExpression = 'attribute_exists(pk)';
    const Key = { pk: 'no', sk: 'item' };
    const failing: AuditedChange = {
      event: { action: 'budget.set', organizationId: organization.id, target, before: null, after: {} },
      items: [{ ConditionCheck: { TableName: table.tableName, Key, ConditionExpression } }],
    };
    const other = { ...newKey(), id: 'key_2' };

    const attempts = [
      directory.createApiKey(other, 'abcdef', audit),
      directory.createApiKey(newKey(), 'fedcba', audit),
      directory.createApiKey(other, 'fedcba', audit, failing),
    ];

    expect((await Promise.allSettled(attempts)).map((result) => 'reason' in result && result.reason)).toEqual(
      [
        new Error('API key key_2 exists already'),
        new Error('API key key_1 exists already'),
        new Error('A condition of what is created with API key key_2 failed'),
      ],
    );
    expect(await directory.listCurrentApiKeys(organization.id)).toEqual([apiKey]);
    expect(await keyRecords()).toHaveLength(1);
  });

  it('creates nothing in an unknown or deleted organization', async () => {
    const { directory, audit } = fixture;
    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [],
    });

    expect(await directory.createApiKey(newKey(), 'hash-1', audit)).toBe(false);
    expect(await directory.createApiKey({ ...newKey(), organization_id: 'org_2' }, 'hash-2', audit)).toBe(
      false,
    );

    expect(await directory.findApiKeyByHash('hash-1')).toBeNull();
    expect(await directory.findApiKeyByHash('hash-2')).toBeNull();
    expect((await keyRecords()).map(({ action }) => action)).toEqual(['organization.deleted']);
    expect(await audit.records('org_2')).toEqual([]);
  });
});

const target = { type: 'budget', id: 'key_1/day', name: null } as const;
