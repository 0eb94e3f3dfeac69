/** Invitations whose sender loses the right to invite. */
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { inviteMember } from '#lambdas/accounts/invitations/invite.ts';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import { leaveAllOrganizations } from '#lambdas/accounts/members/end-membership.ts';
import { findMembership, roleChangeItems } from '#lambdas/accounts/members/store.ts';
import type { OrganizationDependencies } from '#lambdas/accounts/organizations/call.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { dashboardOrigin } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { killableClient } from '#test/support/dynamodb/killable-client.ts';
import { createInvitationCalls, type InvitationCalls } from './invitation-calls.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
/** The owner of the organization with this id, of which Bob is another member. */
let ada: TestUser;
let bob: TestUser;
let id: string;
let calls: InvitationCalls;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(() => startOrganization());

async function startOrganization(roleOfBob: Role = 'admin') {
  [ada, bob] = [await fixture.signIn('Ada'), await fixture.signIn('Bob')];
  ({ id } = await fixture.createOrganization(ada));
  await fixture.join(id, bob, roleOfBob);
  calls = createInvitationCalls(fixture, id);
  fixture.clock.nowMs += 1000;
}

const member = (user: TestUser) => `/organizations/${id}/members/${user.id}`;
const changeRole = (of: TestUser, role: Role, call = fixture.call) =>
  call(ada, 'PATCH', member(of), { role });
const roleOf = async (user: TestUser) =>
  (await findMembership(fixture.dependencies.accounts, id, user.id))?.role ?? null;
const actionsOf = async (targetId: string) =>
  (await fixture.auditRecords(id)).filter(({ target }) => target.id === targetId).map(({ action }) => action);
const userAt = (email: string) => fixture.signIn('Carol', { email });
const revoked = {
  status: 409,
  body: {
    error: { code: 'conflict', message: 'This invitation has been revoked: ask for a new one' },
  },
};

interface Ending {
  name: string;
  action: 'member.role_changed' | 'member.removed' | 'member.left';
  /** Bob's role afterwards. */
  role: Role | null;
  actor: () => TestUser;
  end(dependencies: Partial<OrganizationDependencies>): Promise<unknown>;
}

/** The ways in which Bob, who is an admin, loses the right to invite. */
const endings: Ending[] = [
  {
    name: 'gets a lower role',
    action: 'member.role_changed',
    role: 'viewer',
    actor: () => ada,
    end: (dependencies) => changeRole(bob, 'viewer', fixture.callWith(dependencies)),
  },
  {
    name: 'is removed',
    action: 'member.removed',
    role: null,
    actor: () => ada,
    end: (dependencies) => fixture.callWith(dependencies)(ada, 'DELETE', member(bob), { keys: 'keep' }),
  },
  {
    name: 'leaves',
    action: 'member.left',
    role: null,
    actor: () => bob,
    end: (dependencies) => fixture.callWith(dependencies)(bob, 'DELETE', member(bob), { keys: 'keep' }),
  },
  {
    name: 'deletes the account',
    action: 'member.left',
    role: null,
    actor: () => bob,
    end(changes) {
      const { accounts, directory, auditTable, now } = { ...fixture.dependencies, ...changes };
      const { name, email } = bob;
      const audit = createAuditTrail(auditTable, { type: 'user', id: bob.id, name, email }, now);
      return leaveAllOrganizations({ accounts, directory, audit }, bob);
    },
  },
];

describe.each(endings)('The invitations of an admin who $name', ({ action, role, actor, end }) => {
  it('are revoked first, each with a record of the reason', async () => {
    const own = [
      await calls.invited(bob, 'carol@example.net'),
      await calls.invited(bob, 'dave@example.net', 'admin'),
    ];
    const other = await calls.invited(ada, 'eve@example.net');
    fixture.clock.nowMs += 1000;

    await end({});

    expect(await roleOf(bob)).toBe(role);
    expect(await Promise.all([...own, other].map(calls.stateOf))).toEqual(['revoked', 'revoked', 'pending']);
    expect(await calls.pending(ada)).toEqual(['eve@example.net']);
    const after = { inviter_role: role };
    const records = (await fixture.auditRecords(id)).slice(-3);
    const revocations = records.filter((record) => record.action === 'invitation.revoked');
    expect(revocations).toMatchObject([
      { actor: { id: actor().id }, before: { email: expect.any(String) }, after },
      { actor: { id: actor().id }, before: { email: expect.any(String) }, after },
    ]);
    expect(revocations.map(({ target }) => target.id).sort()).toEqual(own.map((each) => each.id).sort());
    expect(records.filter((record) => record.action === action)).toHaveLength(1);

    const carol = await userAt('carol@example.net');
    const { accounts, now } = fixture.dependencies;
    expect(await calls.accept(carol, own[0] ?? { token: '' })).toMatchObject(revoked);
    expect(await roleOf(carol)).toBeNull();
    expect(await isInvited(accounts, 'carol@example.net', now())).toBe(false);
  });

  it('are revoked once, wherever the function is killed and the call repeated', async () => {
    for (let point = 0, isDone = false; !isDone; point++) {
      await startOrganization();
      const own = [
        await calls.invited(bob, 'carol@example.net'),
        await calls.invited(bob, 'dave@example.net'),
      ];
      const { accounts, auditTable, directoryTable } = fixture.dependencies;
      const kill = { atCall: Math.floor(point / 2), isSent: point % 2 === 1 };
      const { client, killed } = killableClient(database.documentClient, kill);
      const ended = end({
        accounts: { ...accounts, client },
        auditTable: { ...auditTable, client },
        directoryTable: { ...directoryTable, client },
        directory: createDirectoryStore({ ...directoryTable, client }),
      });
      isDone = await Promise.race([ended.then(() => true), killed.then(() => false)]);

      const states = await Promise.all(own.map(calls.stateOf));
      for (const [index, invitation] of own.entries()) {
        const isRevoked = states[index] === 'revoked';
        expect(await actionsOf(invitation.id)).toHaveLength(isRevoked ? 2 : 1);
      }
      const isEnded = (await roleOf(bob)) === role;
      if (isEnded) expect(states).toEqual(['revoked', 'revoked']);

      if (!isEnded) await end({});
      for (const invitation of own) {
        expect(await calls.stateOf(invitation)).toBe('revoked');
        expect((await actionsOf(invitation.id)).sort()).toEqual(['invitation.created', 'invitation.revoked']);
      }
      expect(await roleOf(bob)).toBe(role);
      expect(await actionsOf(bob.id)).toEqual([action]);
      if (isDone) expect(point).toBeGreaterThan(8);
    }
  });

  it('cannot be accepted if they were created at the same time, which is recorded once', async () => {
    let late: Awaited<ReturnType<InvitationCalls['invited']>> | null = null;
    const { accounts } = fixture.dependencies;
    await end({
      accounts: interceptTable(accounts, async ({ operation, input, send }) => {
        const output = await send();
        const isList = input.ExpressionAttributeValues?.[':prefix'] === 'invitation#';
        if (operation === 'QueryCommand' && isList) late ??= await calls.invited(bob, 'late@example.net');
        return output;
      }),
    });
    if (late === null) throw new Error('No invitation was created');
    const { id: lateId, token } = late as { id: string; token: string };

    expect(await calls.stateOf({ token })).toBe('revoked');
    expect(await calls.pending(ada)).toEqual([]);
    expect(await actionsOf(lateId)).toEqual(['invitation.created']);
    const user = await userAt('late@example.net');
    for (let repeat = 0; repeat < 2; repeat++)
      expect(await calls.accept(user, { token })).toMatchObject(revoked);
    expect(await roleOf(user)).toBeNull();
    expect((await fixture.auditRecords(id)).filter(({ target }) => target.id === lateId)).toMatchObject([
      { action: 'invitation.created', actor: { id: bob.id } },
      { action: 'invitation.revoked', actor: { id: user.id }, after: { inviter_role: role } },
    ]);
  });

  it('either are accepted before, or cannot be accepted', async () => {
    for (let round = 0; round < 3; round++) {
      await startOrganization();
      const invitation = await calls.invited(bob, 'carol@example.net');
      const carol = await userAt('carol@example.net');
      const [{ status }] = await Promise.all([calls.accept(carol, invitation), end({})]);
      expect([200, 409]).toContain(status);
      expect(await roleOf(carol)).toBe(status === 200 ? 'member' : null);
      expect(await roleOf(bob)).toBe(role);
      expect(await calls.stateOf(invitation)).toBe(status === 200 ? 'accepted' : 'revoked');
      expect(await actionsOf(invitation.id)).toHaveLength(status === 200 ? 1 : 2);
    }
  });
});

describe('An acceptance', () => {
  it('fails if the sender loses the right after it was checked', async () => {
    const invitation = await calls.invited(bob, 'carol@example.net');
    const carol = await userAt('carol@example.net');
    const { accounts } = fixture.dependencies;
    const demotion = roleChangeItems(
      accounts,
      { organizationId: id, userId: bob.id, role: 'admin', joinedAt: '' },
      'member',
    );
    let isDemoted = false;
    const call = fixture.callWith({
      accounts: interceptTable(accounts, async ({ operation, input, send }) => {
        const output = await send();
        if (operation === 'GetCommand' && input.Key?.sk === `member#${bob.id}` && !isDemoted) {
          isDemoted = true;
          await accounts.client.send(new TransactWriteCommand({ TransactItems: demotion }));
        }
        return output;
      }),
    });
    expect(await calls.accept(carol, invitation, call)).toMatchObject(revoked);
    expect(isDemoted).toBe(true);
    expect(await roleOf(carol)).toBeNull();
    expect(await actionsOf(invitation.id)).toEqual(['invitation.created', 'invitation.revoked']);
  });

  it('uses up nothing for a member if the sender has lost the right', async () => {
    const invitation = await calls.invited(bob, 'carol@example.net', 'admin');
    const carol = await userAt('carol@example.net');
    await fixture.join(id, carol, 'viewer');
    const { accounts } = fixture.dependencies;
    const demotion = roleChangeItems(
      accounts,
      { organizationId: id, userId: bob.id, role: 'admin', joinedAt: '' },
      'viewer',
    );
    await accounts.client.send(new TransactWriteCommand({ TransactItems: demotion }));
    expect(await calls.accept(carol, invitation)).toMatchObject({ status: 200, body: { role: 'viewer' } });
    expect(await calls.stateOf(invitation)).toBe('revoked');
  });

  it('needs no right of operators', async () => {
    const { accounts, directoryTable, auditTable, now } = fixture.dependencies;
    const operator = { type: 'operator' as const, id: 'arn:aws:iam::1:user/ops', name: null, email: null };
    const { url } = await inviteMember(
      { accounts, directoryTable, audit: createAuditTrail(auditTable, operator, now), dashboardOrigin },
      { organizationId: id, organizationName: 'Acme', email: 'carol@example.net', role: 'owner' },
    );
    const token = url.split('/').at(-1) ?? '';
    expect(await calls.stateOf({ token })).toBe('pending');
    expect(await calls.pending(ada)).toEqual(['carol@example.net']);
    const carol = await userAt('carol@example.net');
    expect(await calls.accept(carol, { token })).toMatchObject({ status: 200, body: { role: 'owner' } });
  });
});

describe('A change of the role', () => {
  it.each<[Role, Role, Role, string]>([
    ['owner', 'admin', 'owner', 'revoked'],
    ['owner', 'admin', 'admin', 'pending'],
    ['owner', 'admin', 'viewer', 'pending'],
    ['owner', 'member', 'viewer', 'revoked'],
    ['admin', 'owner', 'admin', 'pending'],
    ['admin', 'member', 'viewer', 'revoked'],
    ['admin', 'viewer', 'viewer', 'revoked'],
  ])('from %s to %s leaves an invitation as %s %s', async (before, after, invited, state) => {
    await startOrganization(before);
    const invitation = await calls.invited(bob, 'carol@example.net', invited);
    expect((await changeRole(bob, after)).status).toBe(200);
    expect(await calls.stateOf(invitation)).toBe(state);
    // A right that returns does not bring an invitation back.
    await changeRole(bob, before);
    expect(await calls.stateOf(invitation)).toBe(state);
    const { status } = await calls.accept(await userAt('carol@example.net'), invitation);
    expect(status).toBe(state === 'pending' ? 200 : 409);
  });

  it('that is refused to the last owner revokes nothing', async () => {
    const invitation = await calls.invited(ada, 'carol@example.net', 'owner');
    expect((await changeRole(ada, 'viewer')).status).toBe(409);
    expect(await calls.stateOf(invitation)).toBe('pending');
    expect(await actionsOf(invitation.id)).toEqual(['invitation.created']);
  });

  it('by the owner herself revokes her invitations', async () => {
    await startOrganization('owner');
    const invitation = await calls.invited(ada, 'carol@example.net');
    expect((await changeRole(ada, 'member')).status).toBe(200);
    expect(await calls.stateOf(invitation)).toBe('revoked');
  });
});

it('more invitations than fit in a transaction are revoked with the membership of their sender', async () => {
  for (let count = 0; count < 40; count++) await calls.invited(bob, `${count}@example.net`);
  const removal = await fixture.call(ada, 'DELETE', member(bob), { keys: 'revoke' });
  expect(removal.status).toBe(204);
  expect(await calls.pending(ada)).toEqual([]);
  const records = await fixture.auditRecords(id);
  expect(records.filter(({ action }) => action === 'invitation.revoked')).toHaveLength(40);
});
