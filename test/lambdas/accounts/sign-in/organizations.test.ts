/** The effects of a sign-in, and of changes of the account, on the organizations of a user. */
import { DeleteCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { inviteMember } from '#lambdas/accounts/invitations/invite.ts';
import { deleteProfile, findProfiles } from '#lambdas/accounts/members/profiles.ts';
import { joinItems, listMembershipsOfOrganization } from '#lambdas/accounts/members/store.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import {
  createTableOf,
  type DashboardFixture,
  dashboardOrigin,
  startDashboardFixture,
} from '#test/support/accounts/dashboard-fixture.ts';
import type { FakeUser } from '#test/support/accounts/fake-pool-state.ts';
import type { PageClient } from '#test/support/accounts/page-client.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable, isUpdateOf } from '#test/support/dynamodb/intercepted-table.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let database: EmbeddedDynamoDB;
let dashboard: DashboardFixture;
let ada: FakeUser;
let browser: PageClient;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  dashboard = await startDashboardFixture(database);
  ada = dashboard.pool.addUser({ email: 'ada@example.com', name: 'Ada' });
  browser = dashboard.browser();
  await browser.signIn(ada);
});
afterEach(() => dashboard.stop());

const audit = () => {
  const operator = { type: 'operator' as const, id: 'arn:aws:iam::1:user/ops', name: null, email: null };
  return createAuditTrail(dashboard.dependencies.auditTable, operator, dashboard.dependencies.now);
};

async function createOrganization(name: string, members: Record<string, Role>): Promise<string> {
  const organization = {
    id: newOrganizationId(),
    name,
    created_at: '2026-11-23T08:00:00.000Z',
    log_shards: 1,
  };
  await dashboard.directory.createOrganization(organization, audit());
  for (const [userId, role] of Object.entries(members)) {
    const membership = { organizationId: organization.id, userId, role, joinedAt: organization.created_at };
    const TransactItems = joinItems(dashboard.accounts, membership);
    await database.documentClient.send(new TransactWriteCommand({ TransactItems }));
  }
  return organization.id;
}

const membersOf = async (organizationId: string) => {
  const memberships = await listMembershipsOfOrganization(dashboard.accounts, organizationId);
  return memberships.map(({ userId }) => userId).sort();
};

describe('The profile that other members see', () => {
  const profile = async () => (await findProfiles(dashboard.accounts, [ada.sub])).get(ada.sub);

  it('is saved by the sign-in, by renewals and by changes of the account', async () => {
    expect(await profile()).toEqual({ id: ada.sub, email: 'ada@example.com', name: 'Ada' });
    await browser.call('PATCH', '/account', { body: { name: 'Ada Lovelace' } });
    expect(await profile()).toMatchObject({ name: 'Ada Lovelace' });
    await browser.call('POST', '/account/email', { body: { email: 'ada@example.org' } });
    expect(await profile()).toMatchObject({ email: 'ada@example.com' });
    await browser.call('POST', '/account/email/verification', { body: { code: '123456' } });
    expect(await profile()).toMatchObject({ email: 'ada@example.org' });
    await deleteProfile(dashboard.accounts, ada.sub);
    dashboard.clock.nowMs += 3_600_000;
    expect((await browser.call('GET', '/session')).status).toBe(200);
    expect(await profile()).toEqual({ id: ada.sub, email: 'ada@example.org', name: 'Ada Lovelace' });
  });

  it('is not restored by a renewal while the account is deleted', async () => {
    const { accounts } = dashboard;
    const renewing = dashboard.browser({
      accounts: interceptTable(accounts, async (call) => {
        if (isUpdateOf(call, 'sealed_tokens')) {
          const { Key } = call.input;
          await accounts.client.send(new DeleteCommand({ TableName: accounts.tableName, Key }));
          await deleteProfile(accounts, ada.sub);
        }
        return call.send();
      }),
    });
    await renewing.signIn(ada);
    dashboard.clock.nowMs += 3_600_000;
    expect((await renewing.call('GET', '/session')).status).toBe(401);
    expect(await profile()).toBeUndefined();
  });

  it('ends with the account', async () => {
    await browser.call('DELETE', '/account', { body: { email: 'ada@example.com' } });
    expect(await profile()).toBeUndefined();
  });
});

it('an invitation lets an account change to its address', async () => {
  const change = () => browser.call('POST', '/account/email', { body: { email: 'ada@private.example' } });
  expect((await change()).status).toBe(400);
  const directoryTable = await createTableOf(database, 'Directory', ['pk', 'sk']);
  const organizationId = newOrganizationId();
  await createDirectoryStore(directoryTable).createOrganization(
    { id: organizationId, name: 'Acme', created_at: '2026-11-23T08:00:00.000Z', log_shards: 1 },
    audit(),
  );
  await inviteMember(
    { accounts: dashboard.accounts, directoryTable, audit: audit(), dashboardOrigin },
    {
      organizationId,
      organizationName: 'Acme',
      email: 'ada@private.example',
      role: 'viewer',
    },
  );
  expect((await change()).status).toBe(204);
});

describe('DELETE /dashboard/api/account', () => {
  const deleteAccount = () => browser.call('DELETE', '/account', { body: { email: 'ada@example.com' } });

  it('leaves all organizations first, with a record in each', async () => {
    const acme = await createOrganization('Acme', { [ada.sub]: 'owner', bob: 'owner' });
    const other = await createOrganization('Other', { [ada.sub]: 'viewer' });
    const deleted = await createOrganization('Deleted', { [ada.sub]: 'owner' });
    await dashboard.directory.deleteOrganization({
      organizationId: deleted,
      audit: audit(),
      readMemberships: async () => [],
    });
    dashboard.clock.nowMs += 1000;

    expect((await deleteAccount()).status).toBe(204);

    expect([await membersOf(acme), await membersOf(other)]).toEqual([['bob'], []]);
    for (const [organizationId, role] of [
      [acme, 'owner'],
      [other, 'viewer'],
    ] as const) {
      const { records } = await readAuditTrail(dashboard.dependencies.auditTable, {
        organizationId,
        limit: 1,
      });
      expect(records).toMatchObject([
        {
          action: 'member.left',
          actor: { type: 'user', id: ada.sub, name: 'Ada', email: 'ada@example.com' },
          target: { type: 'member', id: ada.sub, name: 'Ada' },
          before: { role },
          after: null,
        },
      ]);
    }
    expect(dashboard.pool.users.has(ada.sub)).toBe(false);
  });

  it.each([
    ['GetUser', 'NotAuthorizedException', 401],
    ['GetUser', 'TooManyRequestsException', 429],
    ['GetUser', 'InternalErrorException', 503],
  ])('leaves no organization if Cognito fails: %s %s', async (operation, name, status) => {
    recordLogLines();
    const acme = await createOrganization('Acme', { [ada.sub]: 'owner', bob: 'owner' });
    dashboard.pool.api.failures.set(operation, name);
    expect((await deleteAccount()).status).toBe(status);
    expect(await membersOf(acme)).toEqual([ada.sub, 'bob'].sort());
    expect(dashboard.pool.users.has(ada.sub)).toBe(true);
    expect(await findProfiles(dashboard.accounts, [ada.sub])).not.toEqual(new Map());
  });

  it('keeps profile and sessions if Cognito then refuses to delete the user', async () => {
    const other = dashboard.browser();
    await other.signIn(ada);
    dashboard.pool.api.failures.set('DeleteUser', 'NotAuthorizedException');
    expect((await deleteAccount()).status).toBe(401);
    expect(await findProfiles(dashboard.accounts, [ada.sub])).not.toEqual(new Map());
    expect((await other.call('GET', '/session')).status).toBe(200);
  });

  it('changes nothing for the last owner of an organization, and names it', async () => {
    const acme = await createOrganization('Acme', { [ada.sub]: 'owner', bob: 'admin' });
    const shared = await createOrganization('Shared', { [ada.sub]: 'owner', bob: 'owner' });
    await createOrganization('Mine', { [ada.sub]: 'owner' });

    const { status, body } = await deleteAccount();

    expect(status).toBe(409);
    const { message, code } = (body as { error: { message: string; code: string } }).error;
    expect(code).toBe('conflict');
    expect(message).toMatch(
      /^You are the last owner of (Acme, Mine|Mine, Acme): make another member an owner, or delete the organization first$/,
    );
    expect(await membersOf(acme)).toEqual([ada.sub, 'bob'].sort());
    expect(await membersOf(shared)).toEqual([ada.sub, 'bob'].sort());
    expect(dashboard.pool.users.has(ada.sub)).toBe(true);
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('leaves one owner when both delete their accounts at the same time', async () => {
    const bob = dashboard.pool.addUser({ email: 'bob@example.com', name: 'Bob' });
    const other = dashboard.browser();
    await other.signIn(bob);
    const acme = await createOrganization('Acme', { [ada.sub]: 'owner', [bob.sub]: 'owner' });

    const responses = await Promise.all([
      deleteAccount(),
      other.call('DELETE', '/account', { body: { email: 'bob@example.com' } }),
    ]);

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.text).toContain('You are the last owner of Acme:');
    expect(await membersOf(acme)).toHaveLength(1);
  });
});
