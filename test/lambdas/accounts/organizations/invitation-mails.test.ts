/** The e-mails with the links of invitations. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SendMail } from '#lambdas/accounts/mail.ts';
import type { NewInvitation } from '#lambdas/accounts/organizations/responses.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
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
let ada: TestUser;
let calls: InvitationCalls;
/** New for each test: the fixture's tables stay. */
let email: string;
let count = 0;

const dayMs = 86_400_000;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture ??= await startOrganizationsFixture(database);
  fixture.clock.nowMs = startMs;
  fixture.mails.length = 0;
  fixture.lines.length = 0;
  ada = await fixture.signIn('Ada');
  calls = await callsOfNewOrganization();
  email = `bob${count++}@example.net`;
});

async function callsOfNewOrganization(): Promise<InvitationCalls> {
  return createInvitationCalls(fixture, (await fixture.createOrganization(ada)).id);
}

async function mailed(address: string, from = calls, call = fixture.call): Promise<boolean> {
  const { status, body } = await from.invite(ada, address, 'member', call);
  expect(status).toBe(200);
  return (body as NewInvitation).mailed;
}

/** How often the result is true. */
async function countMailed(results: Promise<boolean>[]): Promise<number> {
  return (await Promise.all(results)).filter(Boolean).length;
}

describe('One address gets five mails a day', () => {
  it('of an organization that invites it, revokes the invitation, and invites it again', async () => {
    const results: boolean[] = [];
    for (let repeat = 0; repeat < 8; repeat++) {
      const invitation = await calls.invited(ada, email);
      results.push(invitation.mailed);
      expect((await calls.revoke(ada, invitation)).status).toBe(204);
    }
    expect(results).toEqual([true, true, true, true, true, false, false, false]);
    expect(fixture.mails.map(({ to }) => to)).toEqual(Array(5).fill(email));
  });

  it('of all organizations, however the address is spelled', async () => {
    const name = email.split('@')[0];
    const spellings = [
      `${name}@Müller.example`,
      `${name?.toUpperCase()}@xn--mller-kva.example`,
      `${name}@MÜLLER.EXAMPLE`,
    ];
    const results: boolean[] = [];
    for (let index = 0; index < 8; index++) {
      const organization = await callsOfNewOrganization();
      results.push(await mailed(spellings[index % 3] ?? '', organization));
    }
    expect(results).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('of organizations that invite it at the same time', async () => {
    const organizations = await Promise.all(Array.from({ length: 8 }, callsOfNewOrganization));
    expect(await countMailed(organizations.map((organization) => mailed(email, organization)))).toBe(5);
    expect(fixture.mails).toHaveLength(5);
  });

  it('and five more on the next day, as UTC has it', async () => {
    for (let repeat = 0; repeat < 5; repeat++) expect(await mailed(email)).toBe(true);
    fixture.clock.nowMs = Math.ceil(startMs / dayMs) * dayMs - 1;
    ada = await fixture.signIn('Ada', ada);
    expect(await mailed(email)).toBe(false);
    fixture.clock.nowMs += 1;
    for (let repeat = 0; repeat < 5; repeat++) expect(await mailed(email)).toBe(true);
    expect(await mailed(email)).toBe(false);
  });

  it('whatever others get, also with another tag', async () => {
    for (let repeat = 0; repeat < 6; repeat++) await mailed(email);
    expect(await mailed(email.replace('@', '+tag@'))).toBe(true);
    expect(await mailed(`other-${email}`)).toBe(true);
  });

  it('at most, wherever functions are killed', async () => {
    const { accounts } = fixture.dependencies;
    let killedCalls = 0;
    for (let repeat = 0; repeat < 6; repeat++) {
      // Before the count, while it is written, and while the mail is sent.
      const isSending = repeat % 3 === 2;
      const { promise: killed, resolve } = Promise.withResolvers<void>();
      const hang: SendMail = async (mail) => {
        fixture.mails.push(mail);
        resolve();
        return new Promise(() => {});
      };
      const counting = interceptTable(accounts, ({ operation, send }) => {
        if (operation !== 'UpdateCommand' || isSending) return send();
        const dying = killableClient(accounts.client, { atCall: 0, isSent: repeat % 3 === 1 });
        void dying.killed.then(resolve);
        return send(dying.client);
      });
      const call = fixture.callWith({ accounts: counting, sendMail: hang });
      const finished = mailed(email, calls, call).then(() => false);
      if (await Promise.race([killed.then(() => true), finished])) killedCalls++;
    }
    expect(killedCalls).toBe(6);
    const results: boolean[] = [];
    for (let repeat = 0; repeat < 6; repeat++) results.push(await mailed(email));
    // Two were counted and not sent, two were counted and sent.
    expect(results).toEqual([true, false, false, false, false, false]);
    expect(fixture.mails).toHaveLength(3);
  });
});

describe('An invitation that is not mailed', () => {
  const failure = Object.assign(new Error('bob@example.net is not verified'), { name: 'MessageRejected' });
  const failing: SendMail = () => Promise.reject(failure);

  it('looks the same whatever the cause, and its link works', async () => {
    for (let repeat = 0; repeat < 5; repeat++) await mailed(email);
    const { accounts } = fixture.dependencies;
    const uncounted = interceptTable(accounts, ({ operation, send }) =>
      operation === 'UpdateCommand' ? Promise.reject(new Error('The table cannot be reached')) : send(),
    );
    const bodies: object[] = [];
    for (const [address, call] of [
      [email, fixture.call],
      [`x-${email}`, fixture.callWith({ sendMail: null })],
      [`y-${email}`, fixture.callWith({ sendMail: failing })],
      [`z-${email}`, fixture.callWith({ accounts: uncounted })],
    ] as const) {
      const { status, body } = await calls.invite(ada, address, 'member', call);
      expect(status).toBe(200);
      const { url, id, ...rest } = body as NewInvitation;
      const token = url.slice(url.lastIndexOf('/') + 1);
      expect(await calls.stateOf({ token })).toBe('pending');
      expect(id).toMatch(/^[0-9a-f]{16}$/);
      bodies.push({ ...rest, email: 'address' });
    }
    expect(bodies).toEqual(Array(4).fill({ ...bodies[0], mailed: false }));
  });

  it('has its cause in the log, without the address and the link', async () => {
    expect(await mailed(email, calls, fixture.callWith({ sendMail: failing }))).toBe(false);
    for (let repeat = 0; repeat < 5; repeat++) await mailed(email);
    const organization_id = expect.stringMatching(/^org_/);
    expect(fixture.lines).toMatchObject([
      { level: 'ERROR', event: 'invitation_mail_failed', organization_id, error: 'MessageRejected' },
      { level: 'INFO', event: 'invitation_mail_limited', organization_id },
    ]);
    expect(JSON.stringify(fixture.lines)).not.toMatch(/@|invitations\//);
  });
});
