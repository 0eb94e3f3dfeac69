import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { saveProfile } from '#lambdas/accounts/members/profiles.ts';
import {
  findMembership,
  listMembershipsOfOrganization,
  listMembershipsOfUser,
} from '#lambdas/accounts/members/store.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { listAllApiKeys } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
/** The owner of the organization with this id. */
let ada: TestUser;
let id: string;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  ada = await fixture.signIn('Ada');
  ({ id } = await fixture.createOrganization(ada));
  fixture.clock.nowMs += 1000;
});

async function member(name: string, role: Role): Promise<TestUser> {
  // Members are listed in the order in which they have joined.
  fixture.clock.nowMs += 1;
  const user = await fixture.signIn(name);
  await fixture.join(id, user, role);
  return user;
}

async function createKey(user: TestUser, expiresAt?: string): Promise<ApiKey> {
  const audit = fixture.auditOf(user);
  const { key, apiKey } = issueApiKey({
    organizationId: id,
    name: 'production',
    createdAt: fixture.dependencies.now(),
    createdBy: creatorOf(audit.actor),
    expiresAt,
  });
  await fixture.dependencies.directory.createApiKey(apiKey, hashApiKey(key), audit);
  return apiKey;
}

const changeRole = (user: TestUser, of: TestUser | string, role: unknown, call = fixture.call) =>
  call(user, 'PATCH', `/organizations/${id}/members/${typeof of === 'string' ? of : of.id}`, { role });
const remove = (user: TestUser, removed: TestUser | string, keys: unknown = 'keep', call = fixture.call) =>
  call(user, 'DELETE', `/organizations/${id}/members/${typeof removed === 'string' ? removed : removed.id}`, {
    keys,
  });
const rolesOf = async () => {
  const memberships = await listMembershipsOfOrganization(fixture.dependencies.accounts, id);
  return memberships.map(({ userId, role }) => [userId, role]);
};
const keyStates = async () =>
  (await listAllApiKeys(fixture.dependencies.directory, id)).map((apiKey) => [
    apiKey.id,
    apiKey.revoked_by?.name ?? 'active',
  ]);
const records = async () =>
  (await fixture.auditRecords(id)).filter(({ action }) => action !== 'organization.created');
const forbidden = (permission: string) => ({
  status: 403,
  body: {
    error: {
      code: 'forbidden',
      message: `Your role in this organization does not include the permission ${permission}: ask an owner`,
    },
  },
});
const lastOwner = {
  status: 409,
  body: {
    error: {
      code: 'conflict',
      message: 'An organization needs an owner: make another member an owner first',
    },
  },
};
const noMember = {
  status: 404,
  body: { error: { code: 'not_found', message: 'There is no such member in this organization' } },
};

describe('GET /dashboard/api/organizations/{organization}/members', () => {
  it('lists the members with profile, role and the number of active keys they have created', async () => {
    const bob = await member('Bob', 'viewer');
    await createKey(ada);
    await createKey(bob);
    await createKey(bob);
    const expired = new Date(fixture.clock.nowMs).toISOString();
    await createKey(bob, expired);
    const revoked = await createKey(bob);
    await fixture.dependencies.directory.revokeApiKey(id, revoked.id, fixture.auditOf(ada));

    const { status, body } = await fixture.call(bob, 'GET', `/organizations/${id}/members`);

    const joined_at = expect.any(String);
    expect([status, body]).toEqual([
      200,
      {
        object: 'list',
        data: [
          {
            id: ada.id,
            email: 'ada@example.com',
            name: 'Ada',
            role: 'owner',
            joined_at,
            current: false,
            active_keys: 1,
          },
          {
            id: bob.id,
            email: 'bob@example.com',
            name: 'Bob',
            role: 'viewer',
            joined_at: new Date(fixture.clock.nowMs).toISOString(),
            current: true,
            active_keys: 2,
          },
        ],
      },
    ]);
  });
});

describe('The role of a member', () => {
  it('is changed with a record of both values; the same role again changes nothing', async () => {
    const bob = await member('Bob', 'viewer');
    const carol = await member('Carol', 'admin');
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await changeRole(carol, bob, 'admin')).toMatchObject({
        status: 200,
        body: { id: bob.id, email: 'bob@example.com', role: 'admin', current: false, active_keys: 0 },
      });
    }
    expect(await records()).toMatchObject([
      {
        action: 'member.role_changed',
        actor: { type: 'user', id: carol.id, name: 'Carol', email: 'carol@example.com' },
        target: { type: 'member', id: bob.id, name: 'Bob' },
        before: { role: 'viewer' },
        after: { role: 'admin' },
      },
    ]);
  });

  it('is changed to and from owner by owners alone', async () => {
    const bob = await member('Bob', 'admin');
    const carol = await member('Carol', 'member');
    expect(await changeRole(carol, bob, 'viewer')).toMatchObject(forbidden('manage_members'));
    for (const [of, role] of [
      [carol, 'owner'],
      [bob, 'owner'],
      [ada, 'admin'],
      [ada, 'owner'],
    ] as const) {
      expect(await changeRole(bob, of, role)).toMatchObject(forbidden('manage_owners'));
    }
    expect(await changeRole(ada, bob, 'owner')).toMatchObject({ status: 200, body: { role: 'owner' } });
    expect(await changeRole(bob, ada, 'viewer')).toMatchObject({ status: 200, body: { role: 'viewer' } });
    expect(await changeRole(bob, bob, 'admin')).toMatchObject(lastOwner);
    expect(await rolesOf()).toEqual([
      [ada.id, 'viewer'],
      [bob.id, 'owner'],
      [carol.id, 'member'],
    ]);
  });

  it('changes according to the other value when two owners change it at once', async () => {
    const bob = await member('Bob', 'viewer');
    const carol = await member('Carol', 'owner');
    const responses = await Promise.all([changeRole(ada, bob, 'admin'), changeRole(carol, bob, 'member')]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const changes = await records();
    const [first] = changes.filter(({ before }) => before?.role === 'viewer');
    const [second] = changes.filter(({ before }) => before?.role !== 'viewer');
    expect(second?.before).toEqual(first?.after);
    expect(await findMembership(fixture.dependencies.accounts, id, bob.id)).toMatchObject(
      second?.after ?? {},
    );
  });

  it.each([['emperor'], [null], [undefined]])('cannot be %j', async (role) => {
    expect(await changeRole(ada, ada, role)).toMatchObject({
      status: 400,
      body: { error: { param: 'role', message: 'role must be one of viewer, member, admin, owner' } },
    });
  });

  it('is only changed in the organization of the path', async () => {
    const eve = await fixture.signIn('Eve');
    const other = await fixture.createOrganization(eve, 'Other');
    expect(await changeRole(ada, eve, 'viewer')).toMatchObject(noMember);
    expect(await findMembership(fixture.dependencies.accounts, other.id, eve.id)).toMatchObject({
      role: 'owner',
    });
  });
});

describe('A member who is removed', () => {
  it('has no access any more, and keeps the keys if they are kept', async () => {
    const bob = await member('Bob', 'member');
    const carol = await member('Carol', 'admin');
    const { id: keyId } = await createKey(bob);
    expect(await remove(carol, bob, 'keep')).toMatchObject({ status: 204, text: '' });
    expect((await fixture.call(bob, 'GET', `/organizations/${id}`)).status).toBe(404);
    expect((await fixture.call(bob, 'GET', '/organizations')).body).toMatchObject({ data: [] });
    expect(await listMembershipsOfUser(fixture.dependencies.accounts, bob.id)).toEqual([]);
    expect(await keyStates()).toEqual([[keyId, 'active']]);
    expect((await records()).at(-1)).toMatchObject({
      action: 'member.removed',
      actor: { id: carol.id },
      target: { type: 'member', id: bob.id, name: 'Bob' },
      before: { role: 'member' },
      after: null,
    });
    expect(await remove(carol, bob, 'keep')).toMatchObject(noMember);
  });

  it('cannot come back: invitations for the address and those that the member has created are revoked', async () => {
    const bob = await member('Bob', 'admin');
    const invite = (user: TestUser, email: string) =>
      fixture.call(user, 'POST', `/organizations/${id}/invitations`, { email, role: 'admin' });
    const other = await fixture.signIn('Bob', { email: 'bob@example.org' });
    const { body } = await invite(bob, other.email);
    await invite(ada, 'carol@example.org');
    // The member changes to the invited address later.
    await saveProfile(fixture.dependencies.accounts, { ...bob, email: 'robert@example.org' });
    expect((await invite(ada, bob.email)).status).toBe(200);
    await saveProfile(fixture.dependencies.accounts, bob);
    fixture.clock.nowMs += 1000;

    expect((await remove(ada, bob)).status).toBe(204);

    const pending = (await fixture.call(ada, 'GET', `/organizations/${id}/invitations`)).body;
    expect(pending).toMatchObject({ data: [{ email: 'carol@example.org' }] });
    const token = (body as { url: string }).url.split('/').at(-1);
    expect((await fixture.call(other, 'POST', '/invitations/acceptance', { token })).status).toBe(409);
    const revoked = { action: 'invitation.revoked', actor: { id: ada.id } };
    expect((await records()).slice(-3)).toMatchObject([revoked, revoked, { action: 'member.removed' }]);
  });

  it('must be below the role that removes: owners are removed by owners, others by admins', async () => {
    const bob = await member('Bob', 'admin');
    const carol = await member('Carol', 'member');
    const dave = await member('Dave', 'viewer');
    expect(await remove(carol, dave)).toMatchObject(forbidden('manage_members'));
    expect(await remove(dave, carol)).toMatchObject(forbidden('manage_members'));
    expect(await remove(bob, ada)).toMatchObject(forbidden('manage_owners'));
    expect((await remove(bob, dave)).status).toBe(204);
    await changeRole(ada, bob, 'owner');
    expect((await remove(bob, ada)).status).toBe(204);
    expect(await rolesOf()).toEqual([
      [bob.id, 'owner'],
      [carol.id, 'member'],
    ]);
  });

  it.each([['destroy'], [undefined]])('needs a decision about the keys: not %j', async (keys) => {
    const bob = await member('Bob', 'viewer');
    const response = await remove(ada, bob, keys ?? null);
    expect(response).toMatchObject({
      status: 400,
      body: { error: { param: 'keys', message: 'keys must be revoke or keep' } },
    });
    expect(await findMembership(fixture.dependencies.accounts, id, bob.id)).not.toBeNull();
  });
});

describe('Leaving', () => {
  it('is possible for every role, and recorded as such', async () => {
    const leaving = [await member('Bob', 'viewer'), await member('Carol', 'owner')];
    for (const user of leaving) expect((await remove(user, user)).status).toBe(204);
    expect(await rolesOf()).toEqual([[ada.id, 'owner']]);
    expect(await records()).toMatchObject([
      { action: 'member.left', actor: { id: expect.any(String) }, before: { role: expect.any(String) } },
      { action: 'member.left' },
    ]);
  });

  it('is refused to the last owner, whose keys then stay active', async () => {
    await member('Bob', 'admin');
    const { id: keyId } = await createKey(ada);
    expect(await remove(ada, ada, 'revoke')).toMatchObject(lastOwner);
    expect(await keyStates()).toEqual([[keyId, 'active']]);
    expect(await findMembership(fixture.dependencies.accounts, id, ada.id)).toMatchObject({ role: 'owner' });
  });

  it.each<[string, (one: TestUser, other: TestUser) => Promise<{ status: number }>[]]>([
    ['leave', (one, other) => [remove(one, one), remove(other, other)]],
    ['remove each other', (one, other) => [remove(one, other), remove(other, one)]],
    ['leave and take a lower role', (one, other) => [remove(one, one), changeRole(other, other, 'admin')]],
  ])('leaves one owner when two of them %s at the same time', async (_case, act) => {
    for (let round = 0; round < 3; round++) {
      ({ id } = await fixture.createOrganization(ada));
      const bob = await member('Bob', 'owner');
      const statuses = (await Promise.all(act(ada, bob))).map(({ status }) => status);
      const owners = (await rolesOf()).filter(([, role]) => role === 'owner');
      expect(owners).toHaveLength(1);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect(await records()).toHaveLength(1);
    }
  });
});
