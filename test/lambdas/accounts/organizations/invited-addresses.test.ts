/** Invitations for one address in different spellings. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createInvitationCalls, type InvitationCalls } from './invitation-calls.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let ada: TestUser;
let id: string;
let calls: InvitationCalls;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  ada = await fixture.signIn('Ada');
  ({ id } = await fixture.createOrganization(ada));
  calls = createInvitationCalls(fixture, id);
  fixture.mails.length = 0;
});

const invited = 'Bob+ai@Müller.example';
const sameAddresses = [
  'bob+ai@müller.example',
  'BOB+AI@MÜLLER.EXAMPLE',
  'bob+ai@müller.example'.normalize('NFD'),
  'bob+ai@xn--mller-kva.example',
  'Bob+ai@XN--MLLER-KVA.Example',
  'bob+ai@müller。example',
];
const otherAddresses = [
  'bob@müller.example',
  'bob+AI2@müller.example',
  'bob+ai@muller.example',
  'bob+ai@mueller.example',
  'b\u00f6b+ai@müller.example',
];
const userAt = (email: string) => fixture.signIn('Bob', { email });

describe.each(sameAddresses)('An invitation for %j', (email) => {
  it('is accepted by an account with another spelling of the address', async () => {
    const invitation = await calls.invited(ada, email);
    expect(invitation.email).toBe(email);
    expect(await calls.accept(await userAt(invited), invitation)).toMatchObject({ status: 200 });
  });

  it('lets all spellings of the address sign up, and no other address', async () => {
    await calls.invited(ada, email);
    const { accounts, now } = fixture.dependencies;
    const mayAllSignUp = (addresses: string[]) =>
      Promise.all(addresses.map((address) => isInvited(accounts, address, now())));
    expect(await mayAllSignUp([invited, ...sameAddresses])).toEqual(Array(7).fill(true));
    expect(await mayAllSignUp(otherAddresses)).toEqual(Array(5).fill(false));
  });

  it('replaces that for another spelling, and is refused for a member with one', async () => {
    const first = await calls.invited(ada, invited);
    const second = await calls.invited(ada, email);
    expect(await calls.pending(ada)).toEqual([email]);
    expect(await calls.stateOf(first)).toBe('revoked');
    await calls.accept(await userAt(invited), second);
    expect(await calls.invite(ada, email)).toMatchObject({
      status: 409,
      body: { error: { param: 'email', message: `${email} is already a member of Acme` } },
    });
  });
});

it.each(otherAddresses)('an invitation is refused to an account with the other address %j', async (email) => {
  const invitation = await calls.invited(ada, invited);
  expect(await calls.accept(await userAt(email), invitation)).toMatchObject({
    status: 403,
    body: {
      error: { message: `This invitation is for ${invited}: sign in with that address to accept it` },
    },
  });
});

it('the Kelvin sign is not the letter K', async () => {
  const invitation = await calls.invited(ada, 'kim@example.net');
  expect((await calls.accept(await userAt('\u212aim@example.net'), invitation)).status).toBe(403);
  expect((await calls.accept(await userAt('Kim@example.net'), invitation)).status).toBe(200);
});

it('a domain with an umlaut may create organizations', async () => {
  const settings = { ...fixture.dependencies.settings, organizationCreators: ['xn--mller-kva.example'] };
  const call = fixture.callWith({ settings });
  const create = async (email: string) =>
    (await call(await userAt(email), 'POST', '/organizations', { name: 'Müller' })).status;
  expect(await create('eve@Müller.example')).toBe(200);
  expect(await create('eve@xn--mller-kva.example')).toBe(200);
  expect(await create('eve@muller.example')).toBe(403);
});

it('the invitations of a removed member are found by any spelling of the address', async () => {
  const bob = await userAt(invited);
  const invitation = await calls.invited(ada, 'bob+ai@xn--mller-kva.example');
  await fixture.join(id, bob, 'viewer');
  const removal = await fixture.call(ada, 'DELETE', `/organizations/${id}/members/${bob.id}`, {
    keys: 'keep',
  });
  expect(removal.status).toBe(204);
  expect(await calls.stateOf(invitation)).toBe('revoked');
});
