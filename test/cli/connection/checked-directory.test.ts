import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { organizationKey, organizationPointerKey } from '#lambdas/access/item-keys.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

let gateway: AdminFixture;
beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());

it('reports the id and the invalid fields of an organization without printing it', async () => {
  const organization = { ...organizationKey('org_1'), id: 'org_1', created_at: 'yesterday', log_shards: 1 };
  for (const Item of [organization, organizationPointerKey('org_1')]) {
    await gateway.database.documentClient.send(new PutCommand({ TableName: gateway.tables.directory, Item }));
  }

  for (const command of [
    ['org', 'list'],
    ['key', 'list', '--organization', 'org_1'],
  ]) {
    expect(await gateway.run(command)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: Organization org_1 in the Directory table has invalid fields (name, created_at): correct the item or restore it from a backup\n',
    });
  }
});

it('reports the id and the invalid fields of a key without printing it', async () => {
  const created_at = '2026-01-01T00:00:00.000Z';
  await gateway.directory.createOrganization(
    { id: 'org_2', name: 'Acme', created_at, log_shards: 1 },
    gateway.audit,
  );
  const created_by = { type: 'user', id: '', name: 'Ada' } as const;
  const fields = { created_by, expires_at: 'never' };
  const apiKey = apiKeyRecord({ id: 'key_2', organization_id: 'org_2', ...fields });
  await gateway.directory.createApiKey(apiKey, hashApiKey(apiKey.id), gateway.audit);

  expect(await gateway.run(['key', 'list', '--organization', 'org_2'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'error: API key key_2 in the Directory table has invalid fields (created_by.id, expires_at): correct the item or restore it from a backup\n',
  });
});
