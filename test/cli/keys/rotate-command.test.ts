import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { overlap } from '#cli/keys/rotate-command.ts';
import { hashApiKey, newId } from '#lambdas/access/api-key.ts';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { rotateKey } from '#lambdas/access/rotate-key.ts';
import { type AdministeredGateway, startAdministeredGateway } from '#test/support/admin-command.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

let gateway: AdministeredGateway;
let organization: Organization;
let organizationId: string;

beforeAll(async () => {
  gateway = await startAdministeredGateway();
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  organizationId = newId('org');
  const created_at = '2026-01-01T00:00:00.000Z';
  organization = { id: organizationId, name: 'Acme', created_at, log_shards: 4 };
  await gateway.directory.createOrganization(organization);
});

async function storeKey(fields: Partial<ApiKey> = {}): Promise<ApiKey> {
  const apiKey = apiKeyRecord({ organization_id: organizationId, ...fields });
  await gateway.directory.createApiKey(apiKey, hashApiKey(apiKey.id));
  return apiKey;
}

const rotate = (...options: string[]) =>
  gateway.run(['key', 'rotate', '--organization', organizationId, ...options]);

/** What the old key's record says from then on. */
const storedOld = (apiKey: ApiKey) => gateway.directory.findApiKeyByHash(hashApiKey(apiKey.id));

/** From a moment of this run to the key's end, in milliseconds: at least `overlap`, and a minute more at most. */
function expectEndAfter(
  overlapMs: number,
  { startedMs, end }: { startedMs: number; end: string | null | undefined },
) {
  const afterMs = Date.parse(end ?? '') - startedMs;
  // By the clock of the tables, whose answers say the second.
  expect(afterMs).toBeGreaterThan(overlapMs - 3000);
  expect(afterMs).toBeLessThan(overlapMs + 60_000);
}

describe('key rotate', () => {
  it('makes a key of the same name, and lets the old one work on for a day', async () => {
    const old = await storeKey({ name: 'build server' });
    const startedMs = Date.now();

    const { exitCode, stdout, stderr } = await rotate('--key', old.id, '--json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { key, replaced, ...made } = JSON.parse(stdout);
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      organization_id: organizationId,
      name: 'build server',
      last_four: key.slice(-4),
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      revoked_at: null,
      log_shards: 4,
    });
    expect(await gateway.directory.findApiKeyByHash(hashApiKey(key))).toEqual(made);
    expect(replaced).toEqual({ ...old, expires_at: expect.any(String) });
    expect(await storedOld(old)).toEqual(replaced);
    expectEndAfter(24 * 3_600_000, { startedMs, end: replaced.expires_at });
  });

  it('takes an overlap, and refuses what is none without making a key', async () => {
    const old = await storeKey();

    const wrong = await rotate('--key', old.id, '--overlap', '91d');
    expect([wrong.exitCode, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toBe('error: --overlap: It must be at most 90d\n');
    expect(await gateway.directory.listApiKeys(organizationId)).toEqual([old]);

    const startedMs = Date.now();
    expect((await rotate('--key', old.id, '--overlap', '36h')).exitCode).toBe(0);
    expectEndAfter(129_600_000, { startedMs, end: (await storedOld(old))?.expires_at });
  });

  it('gives the new key the expiry of the old one, and the old one an end before that', async () => {
    const old = await storeKey({ expires_at: '2999-01-01T00:00:00.000Z' });
    const startedMs = Date.now();

    const { expires_at, replaced } = JSON.parse(
      (await rotate('--key', old.id, '--overlap', '1h', '--json')).stdout,
    );

    expect(expires_at).toBe('2999-01-01T00:00:00.000Z');
    expectEndAfter(3_600_000, { startedMs, end: replaced.expires_at });
    expect(await storedOld(old)).toEqual(replaced);
  });

  it('does not lengthen the life of a key that expires before the overlap is over', async () => {
    const soon = new Date(Date.now() + 600_000).toISOString();
    const old = await storeKey({ expires_at: soon });

    const { expires_at, replaced } = JSON.parse((await rotate('--key', old.id, '--json')).stdout);

    expect([expires_at, replaced]).toEqual([soon, old]);
    expect(await storedOld(old)).toEqual(old);
  });

  it('shows a person both keys, and the new one this once', async () => {
    const old = await storeKey();

    const { stdout } = await rotate('--key', old.id, '--overlap', '7d');

    const [, made, replaced, , key] = stdout.split('\n');
    expect(made).toMatch(/^key_\S+ +production +\S{4} +live +\S+ +never$/);
    expect(replaced).toMatch(new RegExp(`^${old.id} +production +wXyZ +live +\\S+ +\\d{4}-\\S+Z$`));
    expect(key).toMatch(/^pt_live_\w{32}$/);
    expect(stdout.endsWith('\n\nThis is the key. It is not shown again: store it now.\n')).toBe(true);
  });

  it('refuses an overlap that is shorter than functions cache a key, and makes none', async () => {
    const old = await storeKey();

    for (const overlap of ['0s', '19s']) {
      expect(await rotate('--key', old.id, '--overlap', overlap)).toEqual({
        exitCode: 2,
        stdout: '',
        stderr:
          'error: --overlap: It must be at least 20s, for which functions cache a key: the old key would work that long anyway (to end it as soon as possible, use "key create" and "key revoke")\n',
      });
    }
    expect(await gateway.directory.listApiKeys(organizationId)).toEqual([old]);
  });

  it.each([
    ['revoked', { revoked_at: '2026-01-05T00:00:00.000Z' }],
    ['expired', { expires_at: '2026-01-05T00:00:00.000Z' }],
  ])('refuses a key that has %s, and makes none', async (_case, fields) => {
    const old = await storeKey(fields);

    expect(await rotate('--key', old.id)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: The key ${old.id} is revoked or expired, so it cannot be replaced: use "key create"\n`,
    });
    expect(await gateway.directory.listApiKeys(organizationId)).toEqual([old]);
  });

  it("refuses another organization's key, and one that is not there", async () => {
    const foreign = await storeKey({ organization_id: 'org_other' });

    for (const keyId of [foreign.id, 'key_none']) {
      expect(await rotate('--key', keyId)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `error: The organization ${organizationId} has no key ${keyId}: see "key list --organization ${organizationId}"\n`,
      });
    }
    expect(await storedOld(foreign)).toEqual(foreign);
  });

  it('wants to be told which key', async () => {
    const { exitCode, stderr } = await rotate();
    expect([exitCode, stderr]).toEqual([
      2,
      "error: required option '--key <id>' not specified (--help shows what there is)\n",
    ]);
  });
});

describe('an overlap', () => {
  it.each([
    ['20s', 20_000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['7776000s', 7_776_000_000],
  ])('can be %s', (text, milliseconds) => {
    expect(overlap.parse(text)).toBe(milliseconds);
  });

  it.each(['', '0', '1', '-1h', '1.5h', '1 h', ' 1h', '1h\n', '1w', '91d', '7776001s', 'h', '1hh', '٣d'])(
    'cannot be %j',
    (text) => {
      expect(overlap.safeParse(text).success).toBe(false);
    },
  );
});

describe('a rotation that is stopped halfway', () => {
  const at = new Date('2026-03-01T12:00:00.000Z');

  it('has shown the new key, which works, and not ended the old one', async () => {
    const old = await storeKey();
    const onCreated = vi.fn();
    const directory = {
      ...gateway.directory,
      expireApiKey: () => Promise.reject(new Error('The table is away')),
    };

    const request = { organization, old, overlapMs: 1000, onCreated };
    const rotation = rotateKey({ directory, now: () => at }, request);

    await expect(rotation).rejects.toThrow('The table is away');
    const { key } = onCreated.mock.lastCall?.[0] ?? {};
    expect(await gateway.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({ expires_at: null });
    expect(await storedOld(old)).toEqual(old);
  });

  it('has shown nothing and ended nothing when the new key could not be stored', async () => {
    const old = await storeKey();
    const onCreated = vi.fn();
    const directory = { ...gateway.directory, createApiKey: () => Promise.reject(new Error('away')) };

    const request = { organization, old, overlapMs: 1000, onCreated };
    await expect(rotateKey({ directory, now: () => at }, request)).rejects.toThrow('away');

    expect(onCreated).not.toHaveBeenCalled();
    expect(await gateway.directory.listApiKeys(organizationId)).toEqual([old]);
  });
});
