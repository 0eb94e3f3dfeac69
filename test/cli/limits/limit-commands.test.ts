import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';
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

const limit = (command: string, ...options: string[]) =>
  gateway.run(['limit', ...command.split(' '), '--organization', organizationId, ...options]);

async function json(command: string, ...options: string[]) {
  const { exitCode, stdout, stderr } = await limit(command, '--json', ...options);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const none = Object.fromEntries(rateLimitNames.map((name) => [name, null]));
const row = (limits: object, fields: object = {}) => ({
  organization_id: organizationId,
  api_key_id: null,
  default: null,
  ...none,
  ...limits,
  ...fields,
});

/** As requests with the key find them. */
async function limitsOf(keyId: string) {
  const found = await gateway.directory.findApiKeyByHash(hashApiKey(keyId));
  return [found?.organization_rate_limits, found?.key_rate_limits];
}

describe('limit set', () => {
  it('sets the limits of the organization, and keeps those that are not passed', async () => {
    const key = await storeKey();

    const first = await json('set --requests-per-minute 600 --concurrent 50');
    const second = await json('set --tokens-per-minute 10000000000 --concurrent 20');

    expect(first).toEqual(row({ requests_per_minute: 600, concurrent: 50 }));
    const all = { requests_per_minute: 600, tokens_per_minute: 10_000_000_000, concurrent: 20 };
    expect(second).toEqual(row(all));
    expect(await limitsOf(key)).toEqual([all, undefined]);
  });

  it('sets those of a key, and says when they take effect', async () => {
    const key = await storeKey();

    const { exitCode, stdout, stderr } = await limit('set --requests-per-minute 60', '--key', key);

    expect([exitCode, stderr]).toEqual([0, '']);
    const [headings, cells, ...others] = stdout.split('\n');
    expect(headings).toMatch(/^ORGANIZATION +FOR +REQUESTS PER MINUTE +TOKENS PER MINUTE +CONCURRENT$/);
    expect(cells?.split(/ {3,}/)).toEqual([organizationId, key, '60', '-', '-']);
    expect(others).toEqual(['', 'The change takes effect within 20 seconds.', '']);
    expect(await limitsOf(key)).toEqual([undefined, { requests_per_minute: 60 }]);
  });

  it('sets those of the first key for one that has replaced it, with a note', async () => {
    const first = await storeKey();
    const rotate = ['key', 'rotate', '--organization', organizationId, '--key', first, '--json'];
    const { id } = JSON.parse((await gateway.run(rotate)).stdout);

    const { stdout, stderr } = await limit('set --concurrent 5 --json', '--key', id);

    expect(stderr).toBe(`note: ${id} has replaced ${first}, and shares its rate limits\n`);
    expect(JSON.parse(stdout)).toEqual(row({ concurrent: 5 }, { api_key_id: first }));
  });

  it('sets the defaults that new keys get, also with key create', async () => {
    const earlier = await storeKey();
    await json('set --concurrent 5 --default new-keys');
    const members = await json('set --concurrent 1 --default member-keys');

    const create = ['key', 'create', '--organization', organizationId, '--name', 'new', '--json'];
    const { stdout, stderr } = await gateway.run(create);

    const { id, key } = JSON.parse(stdout);
    expect(stderr).toBe(
      'note: the key has the rate limits that the organization sets for new keys: see "limit list"\n',
    );
    const found = await gateway.directory.findApiKeyByHash(hashApiKey(key));
    expect(found?.key_rate_limits).toEqual({ concurrent: 5 });
    expect(await limitsOf(earlier)).toEqual([undefined, undefined]);
    expect(members).toEqual(row({ concurrent: 1 }, { default: 'member_keys' }));
    expect(await json('list')).toEqual([
      row({ concurrent: 5 }, { default: 'new_keys' }),
      members,
      row({ concurrent: 5 }, { api_key_id: id }),
    ]);
    expect((await limit('set --concurrent 6 --default new-keys')).stdout).toMatch(
      /\n\nThe change applies to keys that are created from now on\. Existing keys keep their limits\.\n$/,
    );
  });

  it.each([
    ['', 'Pass at least one of --requests-per-minute, --tokens-per-minute and --concurrent'],
    ['--concurrent 0', '--concurrent must be a whole number from 1 to 100000'],
    ['--requests-per-minute 10000001', '--requests-per-minute must be a whole number from 1 to 10000000'],
    ['--tokens-per-minute 10000000001', '--tokens-per-minute must be a whole number from 1 to 10000000000'],
    ['--concurrent 1 --default old-keys', '--default must be new-keys or member-keys'],
    ['--concurrent 1 --default new-keys --key key_1', '--key and --default cannot be used together'],
  ])('refuses the options %j', async (options, message) => {
    const { exitCode, stdout, stderr } = await limit(`set ${options}`.trim());

    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
    expect(await json('list')).toEqual([]);
  });

  it('refuses a revoked key, and a deleted organization', async () => {
    const key = await storeKey();
    await gateway.directory.revokeApiKey(organizationId, key, gateway.audit);
    const refused = await limit('set --concurrent 1', '--key', key);
    const audit = gateway.audit;
    await gateway.directory.deleteOrganization({ organizationId, audit, readMemberships: async () => [] });

    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      `error: Key ${key} is revoked: pass an active one, see "key list --organization ${organizationId}"\n`,
    ]);
    expect((await limit('set --concurrent 1')).stderr).toBe(
      `error: Organization ${organizationId} is deleted and can no longer be changed\n`,
    );
  });
});

describe('limit remove', () => {
  it('removes the named limits, or all', async () => {
    const key = await storeKey();
    await json('set --requests-per-minute 600 --tokens-per-minute 1000 --concurrent 50');

    expect(await json('remove --requests-per-minute --concurrent')).toEqual(row({ tokens_per_minute: 1000 }));
    expect(await limitsOf(key)).toEqual([{ tokens_per_minute: 1000 }, undefined]);
    expect(await json('remove')).toEqual(row({}));
    expect(await limitsOf(key)).toEqual([undefined, undefined]);
    expect(await json('list')).toEqual([]);
  });

  it('removes those of a revoked key, and a default', async () => {
    const key = await storeKey();
    await json('set --concurrent 1', '--key', key);
    await json('set --concurrent 2 --default new-keys');
    await gateway.directory.revokeApiKey(organizationId, key, gateway.audit);

    expect(await json('remove', '--key', key)).toEqual(row({}, { api_key_id: key }));
    expect(await json('remove --default new-keys')).toEqual(row({}, { default: 'new_keys' }));
    expect(await json('list')).toEqual([]);
  });

  it('fails without such limits', async () => {
    await json('set --concurrent 1');
    const failure = {
      exitCode: 1,
      stdout: '',
      stderr: `error: There are no such rate limits to remove: see "limit list --organization ${organizationId}"\n`,
    };

    expect(await limit('remove --requests-per-minute')).toEqual(failure);
    expect(await limit('remove --default member-keys')).toEqual(failure);
    expect(await json('list')).toEqual([row({ concurrent: 1 })]);
  });
});

describe('limit list', () => {
  it('lists those of all organizations that are not deleted, with their defaults first', async () => {
    const deleted = organizationId;
    await json('set --concurrent 9');
    const audit = gateway.audit;
    await gateway.directory.deleteOrganization({
      organizationId: deleted,
      audit,
      readMemberships: async () => [],
    });
    organizationId = await gateway.createOrganization();
    const key = await storeKey();
    await json('set --concurrent 1', '--key', key);
    await json('set --tokens-per-minute 2');
    await json('set --requests-per-minute 3 --default member-keys');

    const { stdout } = await gateway.run(['limit', 'list']);

    const lines = stdout.split('\n').filter((line) => line.startsWith(organizationId));
    expect(lines.map((line) => line.split(/ {3,}/).slice(1))).toEqual([
      ["members' new keys", '3', '-', '-'],
      ['organization', '-', '2', '-'],
      [key, '-', '-', '1'],
    ]);
    expect(stdout).not.toContain(deleted);
    expect((await gateway.run(['limit', 'list', '--organization', deleted])).stdout).toContain(deleted);
  });

  it('says how to set limits when there are none', async () => {
    expect((await limit('list')).stdout).toBe(
      'There are no rate limits: set one with "limit set --organization ORG --requests-per-minute NUMBER".\n',
    );
  });
});
