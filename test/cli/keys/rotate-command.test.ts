import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { overlap } from '#cli/keys/rotate-command.ts';
import { endOf, hashApiKey } from '#lambdas/access/api-key.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

let gateway: AdminFixture;
let organizationId: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = await gateway.createOrganization(4);
});

const storeKey = (fields: Partial<ApiKey> = {}) =>
  gateway.storeKey({ organization_id: organizationId, ...fields });

const rotate = (...options: string[]) =>
  gateway.run(['key', 'rotate', '--organization', organizationId, ...options]);

const directoryTable = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.directory,
});

const findStored = ({ organization_id, id }: ApiKey) => gateway.directory.findApiKey(organization_id, id);

/** Expects the key to expire between `overlapMs` and one minute more after `startedMs`. */
function expectExpiryAfter(
  overlapMs: number,
  { startedMs, expiresAt }: { startedMs: number; expiresAt: string | null | undefined },
) {
  const afterMs = Date.parse(expiresAt ?? '') - startedMs;
  // The time comes from the Date header of DynamoDB's responses, which has a resolution of one second.
  expect(afterMs).toBeGreaterThan(overlapMs - 3000);
  expect(afterMs).toBeLessThan(overlapMs + 60_000);
}

describe('key rotate', () => {
  it('creates a key of the same name and lets the old key expire after a day by default', async () => {
    const old = await storeKey({ name: 'build server' });
    const startedMs = Date.now();

    const { exitCode, stdout, stderr } = await rotate('--key', old.id, '--json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { key, replaced, ...created } = JSON.parse(stdout);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      organization_id: organizationId,
      name: 'build server',
      last_four: key.slice(-4),
      created_at: expect.stringMatching(/Z$/),
      created_by: old.created_by,
      rotated_by: expect.objectContaining({ type: 'operator' }),
      expires_at: null,
      rotation: null,
      revoked_at: null,
      revoked_by: null,
      budget_key_id: old.id,
    });
    expect(await findStored(created)).toEqual(created);
    expect((await gateway.directory.findApiKeyByHash(hashApiKey(key)))?.id).toBe(created.id);
    const rotation = { replacement_id: created.id, ends_at: expect.any(String) };
    expect(replaced).toEqual({ ...old, rotation });
    expect(await findStored(old)).toEqual(replaced);
    expectExpiryAfter(24 * 3_600_000, { startedMs, expiresAt: replaced.rotation.ends_at });
  });

  it('shares the budgets of the first key, and prints no internal fields of them', async () => {
    const first = await storeKey();
    const ref = { id: 'counter', shards: 1, allows_unpriced: false };
    await storeBudgetRef(directoryTable(), { organizationId, keyId: null }, ref);
    await storeBudgetRef(directoryTable(), { organizationId, keyId: first.id }, ref);

    const second = JSON.parse((await rotate('--key', first.id, '--json')).stdout);
    const third = JSON.parse((await rotate('--key', second.id, '--json')).stdout);

    const { key, replaced, ...created } = third;
    const { key: _, replaced: __, ...createdBefore } = second;
    expect(created).toMatchObject({ budget_key_id: first.id });
    const rotation = { replacement_id: created.id, ends_at: expect.any(String) };
    expect(replaced).toEqual({ ...createdBefore, rotation });
    for (const { id, ...record } of [created, replaced]) {
      expect([id, Object.keys(record).filter((field) => /_budget/.test(field))]).toEqual([id, []]);
    }
    expect(await gateway.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({
      id: created.id,
      organization_budget: ref,
      key_budget: ref,
    });
  });

  it('applies a valid overlap, and rejects an invalid one without creating a key', async () => {
    const old = await storeKey();

    const rejected = await rotate('--key', old.id, '--overlap', '91d');
    expect([rejected.exitCode, rejected.stdout]).toEqual([2, '']);
    expect(rejected.stderr).toBe('error: --overlap must be at most 90d\n');
    expect(await gateway.directory.listCurrentApiKeys(organizationId)).toEqual([old]);

    const startedMs = Date.now();
    expect((await rotate('--key', old.id, '--overlap', '36h')).exitCode).toBe(0);
    expectExpiryAfter(129_600_000, { startedMs, expiresAt: (await findStored(old))?.rotation?.ends_at });
  });

  it('gives the new key the expiry of the old key, which keeps it and ends earlier', async () => {
    const old = await storeKey({ expires_at: '2999-01-01T00:00:00.000Z' });
    const startedMs = Date.now();

    const { expires_at, replaced } = JSON.parse(
      (await rotate('--key', old.id, '--overlap', '1h', '--json')).stdout,
    );

    expect(expires_at).toBe('2999-01-01T00:00:00.000Z');
    expect(replaced.expires_at).toBe('2999-01-01T00:00:00.000Z');
    expectExpiryAfter(3_600_000, { startedMs, expiresAt: replaced.rotation.ends_at });
    expect(await findStored(old)).toEqual(replaced);
  });

  it('does not extend a key that expires before the end of the overlap', async () => {
    const soon = new Date(Date.now() + 600_000).toISOString();
    const old = await storeKey({ expires_at: soon });

    const { expires_at, replaced } = JSON.parse((await rotate('--key', old.id, '--json')).stdout);

    expect([expires_at, replaced.expires_at, endOf(replaced)]).toEqual([soon, soon, soon]);
    expect(await findStored(old)).toEqual(replaced);
  });

  it('prints the records of both keys and the new key once', async () => {
    const old = await storeKey();

    const { stdout } = await rotate('--key', old.id, '--overlap', '7d');

    const [, created, replaced, , key] = stdout.split('\n');
    expect(created).toMatch(/^key_\S+ +production +\S{4} +active +\S+ +never$/);
    expect(replaced).toMatch(new RegExp(`^${old.id} +production +wXyZ +active +\\S+ +\\d{4}-\\S+Z$`));
    expect(key).toMatch(/^pt_live_\w{32}$/);
    expect(stdout.endsWith('\n\nStore this API key now: it is not shown again.\n')).toBe(true);
  });

  it('revokes the old key at once without an overlap', async () => {
    const old = await storeKey();

    const { exitCode, stdout } = await rotate('--key', old.id, '--overlap', '0', '--json');

    const { id, replaced } = JSON.parse(stdout);
    expect([exitCode, replaced.rotation.replacement_id]).toEqual([0, id]);
    expect(replaced.revoked_at).toBe(replaced.rotation.ends_at);
    expect(await findStored(old)).toEqual(replaced);
  });

  it('rejects an overlap shorter than the key cache lifetime without creating a key', async () => {
    const old = await storeKey();

    expect(await rotate('--key', old.id, '--overlap', '19s')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: --overlap must be 0, which revokes the old key at once, or at least 20s, because functions cache a key for that long\n',
    });
    expect(await gateway.directory.listCurrentApiKeys(organizationId)).toEqual([old]);
  });

  it.each([
    ['revoked', { revoked_at: '2026-01-05T00:00:00.000Z' }],
    ['expired', { expires_at: '2026-01-05T00:00:00.000Z' }],
  ])('rejects a key that is %s without creating a key', async (_case, fields) => {
    const old = await storeKey(fields);

    expect(await rotate('--key', old.id)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: Key ${old.id} is revoked or expired and cannot be replaced: use "key create"\n`,
    });
    expect(await gateway.directory.listCurrentApiKeys(organizationId)).toEqual([old]);
  });

  it("rejects another organization's key and an unknown key", async () => {
    const otherKey = await storeKey();
    organizationId = await gateway.createOrganization(4);

    for (const keyId of [otherKey.id, 'key_none']) {
      expect(await rotate('--key', keyId)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `error: Key ${keyId} was not found in organization ${organizationId}: see "key list --organization ${organizationId}"\n`,
      });
    }
    expect(await findStored(otherKey)).toEqual(otherKey);
  });

  it('requires --key', async () => {
    const { exitCode, stderr } = await rotate();
    expect([exitCode, stderr]).toEqual([
      2,
      "error: required option '--key <id>' not specified (see --help)\n",
    ]);
  });
});

describe('overlap', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['20s', 20_000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['7776000s', 7_776_000_000],
  ])('parses %s', (text, milliseconds) => {
    expect(overlap.parse(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '00',
    '1',
    '1s',
    '-1h',
    '1.5h',
    '1 h',
    ' 1h',
    '1h\n',
    '1w',
    '91d',
    '7776001s',
    'h',
    '1hh',
    '٣d',
  ])('rejects %j', (text) => {
    expect(overlap.safeParse(text).success).toBe(false);
  });
});
