/** Functions are killed before and after each of their calls. Then a change was made, or not: never a part of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiKey, type Directory, maxCurrentKeys, type Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { testActor } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { type KillPoint, killableClient } from '#test/support/dynamodb/killable-client.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';
import { readStoredKeys } from '../stored-keys.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
/** The number of keys that only the organization's count has. */
let furtherKeys: number;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

interface Caller {
  directory: Directory;
  audit: AuditTrail;
}

interface KilledChange {
  /** Resolves to the key that is changed. */
  prepare(): Promise<ApiKey>;
  change(caller: Caller, apiKey: ApiKey): Promise<unknown>;
  /** The numbers of keys afterwards, without expired ones. */
  expected: { current: number; archived: number };
}

const expired = { expires_at: '2026-01-01T00:00:00.000Z' };

const create = async ({ directory, audit }: Caller) => {
  const apiKey = apiKeyRecord({ organization_id: organization.id, created_at: fixture.time() });
  expect(await directory.createApiKey(apiKey, apiKey.id, audit)).toBe(true);
};
const rotateWithin =
  (overlapMs: number) =>
  async (caller: Caller, { id }: ApiKey) => {
    const old = (await caller.directory.findApiKey(organization.id, id)) ?? expect.fail();
    await rotateApiKey(caller, { organization, old, overlapMs, audit: caller.audit });
  };
const rotate = rotateWithin(60_000);
const revoke = ({ directory, audit }: Caller, { id }: ApiKey) =>
  directory.revokeApiKey(organization.id, id, audit);

async function fillWithExpiredKeys(count: number): Promise<void> {
  await fixture.createKeys(organization, count, expired);
  furtherKeys = maxCurrentKeys - count - 1;
  await fixture.countFurtherKeys(organization, furtherKeys);
}

const changes: [string, KilledChange][] = [
  [
    'A creation',
    {
      prepare: () => fixture.createKey(organization),
      change: create,
      expected: { current: 2, archived: 0 },
    },
  ],
  [
    'A creation that archives expired keys in two transactions',
    {
      async prepare() {
        await fillWithExpiredKeys(60);
        return fixture.createKey(organization);
      },
      change: create,
      expected: { current: 2, archived: 0 },
    },
  ],
  [
    'A rotation',
    {
      prepare: () => fixture.createKey(organization),
      change: rotate,
      expected: { current: 2, archived: 0 },
    },
  ],
  [
    'A rotation without overlap',
    {
      prepare: () => fixture.createKey(organization),
      change: rotateWithin(0),
      expected: { current: 1, archived: 1 },
    },
  ],
  [
    'A rotation of a replacement that archives expired keys',
    {
      async prepare() {
        const old = await fixture.createKey(organization);
        const overlapMs = 60_000;
        const rotation = await rotateApiKey(fixture, { organization, old, overlapMs, audit: fixture.audit });
        await fillWithExpiredKeys(3);
        furtherKeys--;
        await fixture.countFurtherKeys(organization, -1);
        return rotation?.apiKey ?? expect.fail();
      },
      change: rotate,
      expected: { current: 3, archived: 0 },
    },
  ],
  [
    'A revocation',
    {
      prepare: () => fixture.createKey(organization),
      change: revoke,
      expected: { current: 0, archived: 1 },
    },
  ],
];

/** Makes the change with a function that is killed at a call. Resolves to whether it has come so far. */
async function killAt(kill: KillPoint, change: (caller: Caller) => Promise<unknown>): Promise<boolean> {
  const { client, killed } = killableClient(database.documentClient, kill);
  const { tables, audit } = fixture;
  const auditTable = { client, tableName: tables.auditTrail, retentionDays: 400 };
  const caller = {
    directory: createDirectoryStore({ client, tableName: tables.directory }),
    audit: createAuditTrail(auditTable, testActor, audit.now),
  };
  return Promise.race([change(caller).then(() => false), killed.then(() => true)]);
}

/** The keys that have not expired, which the changes are about. Also checks that the items of all keys agree. */
async function readKeys() {
  const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
  const isExpired = ({ expires_at }: ApiKey) => expires_at === expired.expires_at;
  return {
    current: current.filter((apiKey) => !isExpired(apiKey)),
    archived: archived.filter((apiKey) => !isExpired(apiKey)),
    expired: [...current, ...archived].filter(isExpired).length,
  };
}

const countRecords = async () => (await fixture.audit.records(organization.id)).length;

describe.each(changes)('%s', (_name, { prepare, change, expected }) => {
  it.each([
    ['before', false],
    ['after', true],
  ])(
    'is made with its record, or not, and can be repeated, if the function is killed %s any of its calls',
    async (_when, isSent) => {
      for (let isKilled = true, atCall = 0; isKilled; atCall++) {
        organization = await fixture.createOrganization();
        furtherKeys = 0;
        const apiKey = await prepare();
        const [before, recordsBefore] = [await readKeys(), await countRecords()];
        const whenChanged = { ...expected, expired: before.expired };
        fixture.clock.nowMs += 1000;

        isKilled = await killAt({ atCall, isSent }, (caller) => change(caller, apiKey));

        const isChanged = (await countRecords()) > recordsBefore;
        const after = await readKeys();
        if (isChanged) expect(counts(after)).toEqual(whenChanged);
        else expect(after).toEqual(before);
        expect(isChanged || isKilled).toBe(true);
        if (isChanged) continue;
        await change(fixture, apiKey);
        expect(counts(await readKeys())).toEqual(whenChanged);
      }
    },
  );
});

function counts({ current, archived, expired }: Awaited<ReturnType<typeof readKeys>>) {
  return { current: current.length, archived: archived.length, expired };
}
