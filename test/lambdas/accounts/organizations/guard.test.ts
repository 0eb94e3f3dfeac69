/** Changes by somebody who loses the membership or the role while the call is in progress. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMembership } from '#lambdas/accounts/members/store.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());

/** The owner's call takes effect after the membership of the other call was read. */
function callDuring(change: () => Promise<unknown>): OrganizationsFixture['call'] {
  const { accounts } = fixture.dependencies;
  return fixture.callWith({
    accounts: interceptTable(accounts, async ({ operation, input, send }) => {
      const output = await send();
      if (operation === 'GetCommand' && String(input.Key?.sk).startsWith('member#')) await change();
      return output;
    }),
  });
}

const key = { name: 'late', expires_at: null, budget: null };
const invitation = { email: 'second@example.com', role: 'admin' };

describe('A member who is removed during a call', () => {
  it.each([
    ['keys', key],
    ['invitations', invitation],
  ])('creates no %s', async (resource, body) => {
    const owner = await fixture.signIn('Ada');
    const admin = await fixture.signIn('Eve');
    const { id } = await fixture.createOrganization(owner);
    await fixture.join(id, admin, 'admin');
    const organization = `/organizations/${id}`;
    const remove = () =>
      fixture.call(owner, 'DELETE', `${organization}/members/${admin.id}`, { keys: 'revoke' });

    const listed = async (list: string) => {
      const { text } = await fixture.call(owner, 'GET', `${organization}/${list}`);
      return (JSON.parse(text) as { data: unknown[] }).data;
    };

    const response = await callDuring(remove)(admin, 'POST', `${organization}/${resource}`, body);

    expect(response.status).toBe(409);
    expect(response.text).toContain('"conflict"');
    const keys = await listed('keys');
    const invitations = await listed('invitations');
    expect([keys, invitations]).toEqual([[], []]);
    const records = await fixture.auditRecords(id);
    const made = records.map(({ action }) => action).filter((action) => action !== 'member.keys_revoked');
    expect(made.sort()).toEqual(['member.removed', 'organization.created']);
  });
});

describe('An admin who becomes a viewer during a call', () => {
  it('does not change the role of others', async () => {
    const owner = await fixture.signIn('Ada');
    const admin = await fixture.signIn('Eve');
    const viewer = await fixture.signIn('Grace');
    const { id } = await fixture.createOrganization(owner);
    await fixture.join(id, admin, 'admin');
    await fixture.join(id, viewer, 'viewer');
    const members = `/organizations/${id}/members`;
    const demote = () => fixture.call(owner, 'PATCH', `${members}/${admin.id}`, { role: 'viewer' });

    const response = await callDuring(demote)(admin, 'PATCH', `${members}/${viewer.id}`, { role: 'admin' });

    expect(response.status).toBe(409);
    expect((await findMembership(fixture.dependencies.accounts, id, viewer.id))?.role).toBe('viewer');
  });
});
