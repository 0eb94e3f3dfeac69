import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { operatorArn } from '#test/support/aws/fake-sts.ts';

const operator = { type: 'operator', id: operatorArn, name: operatorArn };

let gateway: AdminFixture;
let organizationId: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
});

afterAll(async () => {
  await gateway?.stop();
});

beforeEach(async () => {
  organizationId = await gateway.createOrganization(4);
});

const storeKey = (fields: Partial<ApiKey> = {}) =>
  gateway.storeKey({ organization_id: organizationId, ...fields });

describe('key create', () => {
  it('prints the new key once and stores its record without the key', async () => {
    const { exitCode, stdout, stderr } = await gateway.run([
      ...['key', 'create', '--organization', organizationId, '--name', 'production'],
      ...['--expires-at', '2999-01-01T01:00:00+01:00', '--json'],
    ]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { key, ...apiKey } = JSON.parse(stdout);
    expect(key).toMatch(/^pt_live_[0-9A-Za-z]{32}$/);
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      organization_id: organizationId,
      name: 'production',
      last_four: key.slice(-4),
      created_at: expect.stringMatching(/Z$/),
      created_by: operator,
      expires_at: '2999-01-01T00:00:00.000Z',
      rotation: null,
      revoked_at: null,
      revoked_by: null,
    });
    expect(await gateway.directory.findApiKey(organizationId, apiKey.id)).toEqual(apiKey);
    expect((await gateway.directory.findApiKeyByHash(hashApiKey(key)))?.id).toBe(apiKey.id);
  });

  it('asks the operator to store the key', async () => {
    const { stdout } = await gateway.run([
      'key',
      'create',
      '--organization',
      organizationId,
      '--name',
      'trial',
    ]);

    expect(stdout).toMatch(
      /^KEY +NAME +ENDS IN +STATUS +CREATED +EXPIRES\nkey_\S+ +trial +\S{4} +active +\S+ +never\n/,
    );
    expect(stdout).toMatch(/\npt_live_\w{32}\n\nStore this API key now: it is not shown again.\n$/);
  });

  it('rejects an unknown organization', async () => {
    const result = await gateway.run(['key', 'create', '--organization', 'org_none', '--name', 'x']);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Organization org_none was not found: see "org list"\n',
    });
  });

  it.each([
    ['tomorrow', '--expires-at must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
    ['2020-01-01T00:00:00Z', '--expires-at must be in the future'],
  ])('rejects the expiry %s', async (expiry, message) => {
    const { exitCode, stdout, stderr } = await gateway.run([
      ...['key', 'create', '--organization', organizationId, '--name', 'x', '--expires-at', expiry],
    ]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(`error: ${message}\n`);
  });
});

describe('key commands', () => {
  it('prints no internal fields of budgets, in any command', async () => {
    const directoryTable = { client: gateway.database.documentClient, tableName: gateway.tables.directory };
    const first = await storeKey();
    const scope = { organizationId, keyId: null };
    await storeBudgetRef(directoryTable, scope, { id: 'counter', shards: 1, allows_unpriced: true });
    const replacement = await storeKey({ created_at: '2026-01-02T00:00:00.000Z', budget_key_id: first.id });
    const run = async (...command: string[]) =>
      JSON.parse((await gateway.run(['key', ...command, '--organization', organizationId, '--json'])).stdout);

    expect(await run('list')).toEqual([replacement, first]);
    expect(await run('revoke', '--key', first.id)).toEqual({
      ...first,
      revoked_at: expect.any(String),
      revoked_by: operator,
    });
    const { id, key, ...created } = await run('create', '--name', 'x');
    expect(Object.keys(created)).not.toContain('organization_budget');
    expect(await gateway.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({
      id,
      organization_budget: { id: 'counter' },
    });
  });
});

describe('key revoke', () => {
  it('revokes a key and keeps the first revocation time when repeated', async () => {
    const apiKey = await storeKey();

    const first = await gateway.run([
      ...['key', 'revoke', '--organization', organizationId, '--key', apiKey.id, '--json'],
    ]);
    const again = await gateway.run([
      ...['key', 'revoke', '--key', apiKey.id, '--organization', organizationId, '--json'],
    ]);

    const revoked = JSON.parse(first.stdout);
    expect(revoked).toEqual({ ...apiKey, revoked_at: expect.stringMatching(/Z$/), revoked_by: operator });
    expect(await gateway.directory.findApiKey(organizationId, apiKey.id)).toEqual(revoked);
    expect(JSON.parse(again.stdout)).toEqual(revoked);
  });

  it("rejects another organization's key and leaves it unchanged", async () => {
    const apiKey = await storeKey();
    organizationId = await gateway.createOrganization(4);

    const result = await gateway.run([
      ...['key', 'revoke', '--organization', organizationId, '--key', apiKey.id],
    ]);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: Key ${apiKey.id} was not found in organization ${organizationId}: see "key list --organization ${organizationId}"\n`,
    });
    expect(await gateway.directory.findApiKey(apiKey.organization_id, apiKey.id)).toEqual(apiKey);
  });
});

describe('An API key passed instead of an id', () => {
  const key = `pt_live_${'a'.repeat(32)}`;
  const notAnOrganizationId =
    '--organization must be an organization id, which starts with "org_", not an API key: see "org list"';
  const notAKeyId = '--key must be a key id, which starts with "key_", not an API key: see "key list"';

  it.each([
    [['list', '--organization', key], notAnOrganizationId],
    [['create', '--organization', key, '--name', 'x'], notAnOrganizationId],
    [['revoke', '--organization', key, '--key', 'key_1'], notAnOrganizationId],
    [['rotate', '--organization', key, '--key', 'key_1'], notAnOrganizationId],
    [['revoke', '--organization', 'org_1', '--key', key], notAKeyId],
    [['rotate', '--organization', 'org_1', '--key', key], notAKeyId],
    [
      ['list', '--organization', 'org_1', key],
      "too many arguments for 'list'. This command takes options only, such as --organization <id> (see --help)",
    ],
  ])('rejects an API key passed instead of an id without printing it (case %#)', async (command, message) => {
    expect(await gateway.run(['key', ...command])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
  });
});
