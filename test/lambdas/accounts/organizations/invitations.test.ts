import { ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import { invitationCreationItems } from '#lambdas/accounts/invitations/store.ts';
import { findMembership, listMembershipsOfOrganization } from '#lambdas/accounts/members/store.ts';
import type { NewInvitation } from '#lambdas/accounts/organizations/responses.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { dashboardOrigin } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
/** The owner of the organization with this id. */
let ada: TestUser;
let id: string;

const dayMs = 86_400_000;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  ada = await fixture.signIn('Ada');
  ({ id } = await fixture.createOrganization(ada));
  fixture.clock.nowMs += 1000;
  fixture.mails.length = 0;
  fixture.lines.length = 0;
});

const invite = (email: unknown, role: unknown = 'member', user = ada, call = fixture.call) =>
  call(user, 'POST', `/organizations/${id}/invitations`, { email, role });
const revoke = (invitationId: string, user = ada) =>
  fixture.call(user, 'DELETE', `/organizations/${id}/invitations/${invitationId}`, undefined);
const offer = (token: unknown) => fixture.call(null, 'POST', '/invitations/offer', { token });
const accept = (user: TestUser, token: unknown, call = fixture.call) =>
  call(user, 'POST', '/invitations/acceptance', { token });
const records = async () => (await fixture.auditRecords(id)).slice(1);
const pending = async (user = ada) => {
  const { body } = await fixture.call(user, 'GET', `/organizations/${id}/invitations`);
  return (body as { data: { id: string; email: string }[] }).data;
};

async function invited(email: string, role: Role = 'member') {
  const { status, body } = await invite(email, role);
  expect(status).toBe(200);
  const invitation = body as NewInvitation;
  return { ...invitation, token: invitation.url.slice(`${dashboardOrigin}/invitations/`.length) };
}

/** A new user with this address. */
const userAt = (email: string) => fixture.signIn('Bob', { email });

const conflict = (message: string) => ({ status: 409, body: { error: { code: 'conflict', message } } });
const unknownInvitation = {
  status: 404,
  body: {
    error: {
      code: 'not_found',
      message: 'There is no such invitation: copy the whole link, or ask for a new one',
    },
  },
};

describe('A new invitation', () => {
  it('is a link that is shown once, and sent to the address', async () => {
    const { status, body } = await invite(' Bob@Example.NET ', 'admin');
    const { url } = body as NewInvitation;
    const secret =
      /^https:\/\/dashboard\.example\/invitations\/(org_\w{16}\.[\w-]{43})$/.exec(url)?.[1] ?? '';
    expect(secret.startsWith(`${id}.`)).toBe(true);
    const { url: _, mailed: __, ...listed } = body as NewInvitation;
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        email: 'Bob@Example.NET',
        role: 'admin',
        created_at: new Date(fixture.clock.nowMs).toISOString(),
        created_by: { id: ada.id, name: 'Ada', active: true },
        expires_at: new Date(fixture.clock.nowMs + 7 * dayMs).toISOString(),
        url,
        mailed: true,
      },
    ]);
    expect(await pending()).toEqual([listed]);
    expect(fixture.mails).toEqual([
      {
        to: 'Bob@Example.NET',
        subject: 'Invitation to the organization "Acme"',
        text: `Hello,

"Ada" (ada@example.com) invites you to join the organization "Acme" of an AI gateway, as admin.

To accept, open this link and sign in with Bob@Example.NET:

${url}

The link works once, until ${listed.expires_at.slice(0, 10)}. If you did not expect this invitation, you can ignore it.
`,
      },
    ]);

    expect(await records()).toMatchObject([
      {
        action: 'invitation.created',
        actor: { id: ada.id },
        target: { type: 'invitation', id: listed.id, name: 'Bob@Example.NET' },
        before: null,
        after: { email: 'Bob@Example.NET', role: 'admin', expires_at: listed.expires_at },
      },
    ]);
    const { accounts, auditTable } = fixture.dependencies;
    for (const { client, tableName } of [accounts, auditTable]) {
      const { Items } = await client.send(new ScanCommand({ TableName: tableName }));
      expect(JSON.stringify(Items)).not.toContain(secret.split('.')[1]);
    }
  });

  it('revokes the pending one of the same address, also when both are created at once', async () => {
    const first = await invited('bob@example.net');
    const other = await invited('carol@example.net');
    fixture.clock.nowMs += 1000;
    const second = await invited('bob@example.net', 'viewer');
    expect(await pending()).toMatchObject([{ id: second.id, role: 'viewer' }, { id: other.id }]);
    expect((await records()).slice(2)).toMatchObject([
      { action: 'invitation.created', target: { id: second.id } },
      { action: 'invitation.revoked', target: { id: first.id }, before: { role: 'member' }, after: null },
    ]);
    expect((await offer(first.token)).body).toMatchObject({ state: 'revoked' });

    await Promise.all([
      invite('bob@example.net'),
      invite('bob@example.net'),
      invite('dave@example.net'),
      invite('dave@example.net'),
    ]);

    const addresses = (await pending()).map(({ email }) => email);
    expect(addresses.sort()).toEqual(['bob@example.net', 'carol@example.net', 'dave@example.net']);
  });

  it('is refused while 100 others are pending', async () => {
    const { accounts } = fixture.dependencies;
    const createdBy = { type: 'operator' as const, id: 'ops', name: 'Operator' };
    const valid = { createdAt: new Date(fixture.clock.nowMs).toISOString(), acceptedAt: null };
    const validUntil = new Date(fixture.clock.nowMs + dayMs).toISOString();
    for (let count = 0; count < 100; count++) {
      const email = `${count}@example.net`;
      const hash = String(count).padStart(64, '0');
      const identity = { id: hash.slice(0, 16), organizationId: id, hash, email, role: 'viewer' as const };
      const invitation = { ...identity, ...valid, createdBy, validUntil, revokedAt: null };
      const TransactItems = invitationCreationItems(accounts, invitation, null);
      await accounts.client.send(new TransactWriteCommand({ TransactItems }));
    }
    expect(await invite('bob@example.net')).toMatchObject(
      conflict('An organization can have 100 pending invitations: revoke one first'),
    );
    // It replaces one of them.
    expect((await invite('7@example.net')).status).toBe(200);
  });

  it('is refused if the organization is deleted at the same time', async () => {
    const { directory, accounts, now } = fixture.dependencies;
    const call = fixture.callWith({
      accounts: interceptTable(accounts, async ({ operation, input, send }) => {
        // The hash of the last invitation for the address is read when the organization has been found.
        const isHash = operation === 'GetCommand' && input.Key?.pk === 'email#gone@example.net';
        if (isHash)
          await directory.deleteOrganization({
            organizationId: id,
            audit: fixture.auditOf(ada),
            readMemberships: async () => [],
          });
        return send();
      }),
    });
    expect((await invite('gone@example.net', 'viewer', ada, call)).status).toBe(404);
    expect(await isInvited(accounts, 'gone@example.net', now())).toBe(false);
  });

  it('is refused for the address of a member', async () => {
    await fixture.join(id, await userAt('bob@example.net'), 'viewer');
    expect(await invite('BOB@example.net')).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict', param: 'email', message: 'BOB@example.net is already a member of Acme' },
      },
    });
    expect(await records()).toEqual([]);
  });

  it.each([
    [{ email: 'bob', role: 'member' }, 'email', 'email must be one address, such as name@example.com'],
    [
      { email: 'bob@example.net\n', role: 'emperor' },
      'role',
      'role must be one of viewer, member, admin, owner',
    ],
    [{ role: 'member' }, 'email', 'email must be text'],
    [{ email: 'a@b.example', role: 'member', name: 'x' }, 'name', 'name is not a field of this request'],
  ])('is refused for %j', async (body, param, message) => {
    expect(await fixture.call(ada, 'POST', `/organizations/${id}/invitations`, body)).toMatchObject({
      status: 400,
      body: { error: { param, message } },
    });
  });

  it('is for admins, and to become an owner for owners', async () => {
    const [bob, carol] = [await fixture.signIn('Bob'), await fixture.signIn('Carol')];
    await fixture.join(id, bob, 'admin');
    await fixture.join(id, carol, 'member');
    const ofOwner = await invited('dave@example.net', 'owner');
    expect((await invite('eve@example.net', 'viewer', carol)).status).toBe(403);
    expect((await fixture.call(carol, 'GET', `/organizations/${id}/invitations`)).status).toBe(403);
    expect((await revoke(ofOwner.id, carol)).status).toBe(403);
    const needsOwner = {
      status: 403,
      body: { error: { message: expect.stringContaining('manage_owners') } },
    };
    expect(await invite('eve@example.net', 'owner', bob)).toMatchObject(needsOwner);
    expect(await revoke(ofOwner.id, bob)).toMatchObject(needsOwner);
    expect((await invite('eve@example.net', 'admin', bob)).status).toBe(200);
    expect(await pending(bob)).toHaveLength(2);
  });
});

describe('The offer', () => {
  it('is shown to everybody who has the link, also without a session', async () => {
    const { token, expires_at } = await invited('bob@example.net', 'viewer');
    const { status, body } = await offer(token);
    const expected = {
      organization_name: 'Acme',
      email: 'bob@example.net',
      role: 'viewer',
      invited_by: 'Ada',
      expires_at,
    };
    expect([status, body]).toEqual([200, { ...expected, state: 'pending' }]);
    fixture.clock.nowMs += 7 * dayMs - 1;
    expect((await offer(token)).body).toEqual({ ...expected, state: 'pending' });
    fixture.clock.nowMs += 1;
    expect((await offer(token)).body).toEqual({ ...expected, state: 'expired' });
  });

  it('does not exist for any other token', async () => {
    const { token } = await invited('bob@example.net');
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of [
      other,
      token.replace('org_', 'org-'),
      `${token} `,
      `${token}A`,
      token.slice(1),
      '',
    ]) {
      expect(await offer(wrong)).toMatchObject(unknownInvitation);
    }
    const missing = { status: 400, body: { error: { param: 'token', message: 'token must be text' } } };
    expect(await offer(7)).toMatchObject(missing);
    expect(await offer(undefined)).toMatchObject(missing);
  });
});

describe('Accepting an invitation', () => {
  it('makes the user a member with the role, once; the same user may repeat it', async () => {
    const invitation = await invited('bob@example.net', 'owner');
    const bob = await userAt('bob@example.net');
    fixture.clock.nowMs += 1000;
    const summary = { status: 200, body: { id, name: 'Acme', role: 'owner' } };
    expect(await accept(bob, invitation.token)).toMatchObject(summary);
    expect(await accept(bob, invitation.token)).toMatchObject(summary);
    expect((await fixture.call(bob, 'GET', '/organizations')).body).toMatchObject({ data: [summary.body] });
    expect(await pending()).toEqual([]);
    expect((await offer(invitation.token)).body).toMatchObject({ state: 'accepted' });
    expect((await records()).slice(1)).toMatchObject([
      {
        action: 'member.joined',
        actor: { id: bob.id, email: 'bob@example.net' },
        target: { type: 'member', id: bob.id, name: 'Bob' },
        before: null,
        after: { role: 'owner', invitation_id: invitation.id },
      },
    ]);
    // The new owner counts.
    const left = await fixture.call(ada, 'DELETE', `/organizations/${id}/members/${ada.id}`, {
      keys: 'keep',
    });
    expect(left.status).toBe(204);
    // A former member needs a new invitation.
    await fixture.join(id, ada, 'owner');
    await fixture.call(ada, 'DELETE', `/organizations/${id}/members/${bob.id}`, { keys: 'keep' });
    expect(await accept(bob, invitation.token)).toMatchObject(
      conflict('This invitation has already been used: ask for a new one'),
    );
  });

  it('uses it up also for a member, whose role stays', async () => {
    const { token, id: invitationId } = await invited('used@example.net', 'admin');
    const bob = await userAt('used@example.net');
    await fixture.join(id, bob, 'viewer');
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await accept(bob, token)).toMatchObject({ status: 200, body: { role: 'viewer' } });
    }
    expect(await pending()).toEqual([]);
    expect((await offer(token)).body).toMatchObject({ state: 'accepted' });
    const { accounts, now } = fixture.dependencies;
    expect(await isInvited(accounts, 'used@example.net', now())).toBe(false);
    expect((await records()).slice(1)).toMatchObject([
      { action: 'invitation.revoked', actor: { id: bob.id }, target: { id: invitationId } },
    ]);
  });

  it('is refused to another address, which learns the right one', async () => {
    const { token } = await invited('bob@example.net');
    const eve = await userAt('eve@example.net');
    expect(await accept(eve, token)).toMatchObject({
      status: 403,
      body: {
        error: {
          code: 'forbidden',
          message: 'This invitation is for bob@example.net: sign in with that address to accept it',
        },
      },
    });
    expect((await fixture.call(null, 'POST', '/invitations/acceptance', { token })).status).toBe(401);
    expect(await pending()).toHaveLength(1);
  });

  it('is refused once it is revoked or has expired', async () => {
    const revoked = await invited('bob@example.net');
    expect((await revoke(revoked.id)).status).toBe(204);
    const expired = await invited('carol@example.net');
    fixture.clock.nowMs += 7 * dayMs;
    expect(await accept(await userAt('bob@example.net'), revoked.token)).toMatchObject(
      conflict('This invitation has been revoked: ask for a new one'),
    );
    expect(await accept(await userAt('carol@example.net'), expired.token)).toMatchObject(
      conflict('This invitation has expired: ask for a new one'),
    );
    expect(await listMembershipsOfOrganization(fixture.dependencies.accounts, id)).toHaveLength(1);
  });

  it('succeeds for one of two accounts with the address that accept at the same time', async () => {
    const { token } = await invited('bob@example.net');
    const accounts = [await userAt('bob@example.net'), await userAt('bob@example.net')];
    const responses = await Promise.all(accounts.map((user) => accept(user, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await listMembershipsOfOrganization(fixture.dependencies.accounts, id)).toHaveLength(2);
  });

  it('happens once if the same user accepts several times at once', async () => {
    const { token } = await invited('bob@example.net', 'owner');
    const bob = await userAt('bob@example.net');
    const responses = await Promise.all([1, 2, 3].map(() => accept(bob, token)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await records()).map(({ action }) => action)).toEqual(['invitation.created', 'member.joined']);
  });

  it('either happens or fails while the invitation is revoked', async () => {
    for (let round = 0; round < 3; round++) {
      const { id: invitationId, token } = await invited(`bob${round}@example.net`);
      const bob = await userAt(`bob${round}@example.net`);
      const [accepted, revoked] = await Promise.all([accept(bob, token), revoke(invitationId)]);
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([accepted.status, revoked.status]);
      const membership = await findMembership(fixture.dependencies.accounts, id, bob.id);
      expect(membership !== null).toBe(accepted.status === 200);
    }
  });

  it('fails if the organization is deleted at the same time', async () => {
    const { token } = await invited('bob@example.net');
    const bob = await userAt('bob@example.net');
    const { accounts, directory } = fixture.dependencies;
    let isDeleted = false;
    const call = fixture.callWith({
      directory: {
        ...directory,
        async findOrganization(organizationId) {
          const organization = await directory.findOrganization(organizationId);
          // Without the invitations, as if this one had been created in between.
          if (!isDeleted)
            await directory.deleteOrganization({
              organizationId,
              audit: fixture.auditOf(ada),
              readMemberships: async () => [],
            });
          isDeleted = true;
          return organization;
        },
      },
    });
    expect(await accept(bob, token, call)).toMatchObject(unknownInvitation);
    expect(await findMembership(accounts, id, bob.id)).toBeNull();
  });
});

describe('Revoking an invitation', () => {
  it('is recorded once, and does nothing to one that has expired', async () => {
    const invitation = await invited('bob@example.net');
    const expired = await invited('carol@example.net');
    for (let repeat = 0; repeat < 2; repeat++) expect((await revoke(invitation.id)).status).toBe(204);
    expect((await records()).slice(2)).toMatchObject([
      { action: 'invitation.revoked', target: { id: invitation.id, name: 'bob@example.net' }, after: null },
    ]);
    fixture.clock.nowMs += 7 * dayMs;
    ada = await fixture.signIn('Ada', ada);
    expect((await revoke(expired.id)).status).toBe(204);
    expect((await offer(expired.token)).body).toMatchObject({ state: 'expired' });
  });

  it('is too late for one that was accepted', async () => {
    const invitation = await invited('bob@example.net');
    await accept(await userAt('bob@example.net'), invitation.token);
    expect(await revoke(invitation.id)).toMatchObject(
      conflict('This invitation has already been accepted: remove the member instead'),
    );
  });

  it('needs the whole id of an invitation of the organization in the path', async () => {
    const invitation = await invited('bob@example.net');
    const eve = await fixture.signIn('Eve');
    const other = await fixture.createOrganization(eve, 'Other');
    const notFound = {
      status: 404,
      body: { error: { code: 'not_found', message: 'There is no such invitation in this organization' } },
    };
    expect(await revoke(invitation.id.slice(0, 15))).toMatchObject(notFound);
    const foreign = `/organizations/${other.id}/invitations/${invitation.id}`;
    expect(await fixture.call(eve, 'DELETE', foreign)).toMatchObject(notFound);
    expect(await pending()).toHaveLength(1);
  });
});
