import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let admin: TestUser;
let acme: OrganizationDetails;
let users = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture.clock.nowMs = startMs;
  fixture.mails.length = 0;
  fixture.lines.length = 0;
  admin = await fixture.signIn(`Admin${++users}`);
  acme = await fixture.createOrganization(await fixture.signIn('Ada'));
  await fixture.join(acme.id, admin, 'admin');
});

const send = (call = fixture.call, user = admin) =>
  call(user, 'POST', `/organizations/${acme.id}/budgets/test-mail`);

it('is sent to the user who has asked for it', async () => {
  expect((await send()).status).toBe(204);

  expect(fixture.mails).toEqual([
    {
      to: admin.email,
      subject: 'Test: e-mails about the budgets of "Acme" arrive',
      text: `Hello,

this is a test that you have asked for. The owners of the organization "Acme" get an e-mail like this
when 50, 80 and 100 % of a budget are spent.

https://dashboard.example/organizations/${acme.id}/budgets
`,
    },
  ]);
});

it('is one of the five e-mails that an address gets on a UTC day, with those about invitations', async () => {
  const invitation = { email: admin.email, role: 'viewer' };
  const other = await fixture.createOrganization(await fixture.signIn('Bob'));
  for (let sent = 0; sent < 4; sent += 1) expect((await send()).status).toBe(204);
  const bob = await fixture.signIn('Grace');
  await fixture.join(other.id, bob, 'owner');
  await fixture.call(bob, 'POST', `/organizations/${other.id}/invitations`, invitation);

  const refused = await send();
  fixture.clock.nowMs += 86_400_000;
  admin = await fixture.signIn('Admin', admin);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      error: {
        code: 'conflict',
        message: 'Your address has had 5 e-mails today, as many as it may: try again tomorrow (UTC)',
      },
    },
  });
  expect(fixture.mails).toHaveLength(5);
  expect((await send()).status).toBe(204);
});

it('is refused without a sender', async () => {
  expect(await send(fixture.callWith({ sendMail: null }))).toMatchObject({
    status: 409,
    body: {
      error: {
        message:
          'This gateway sends no e-mails: its administrator can set an address to send them from (the setting mailFrom)',
      },
    },
  });
});

it('says if it was not sent, and logs the reason without the address', async () => {
  const failing = fixture.callWith({
    sendMail: async (mail) => {
      throw new Error(`The address ${mail.to} is not verified`);
    },
  });

  expect(await send(failing)).toMatchObject({
    status: 503,
    body: { error: { code: 'service_unavailable' } },
  });
  expect(fixture.lines).toMatchObject([
    { level: 'ERROR', event: 'test_mail_failed', organization_id: acme.id },
  ]);
  expect(JSON.stringify(fixture.lines)).not.toContain(admin.email);
});

it('needs the permission to manage budgets', async () => {
  const member = await fixture.signIn('Mary');
  await fixture.join(acme.id, member, 'member');

  expect((await send(fixture.call, member)).status).toBe(403);
  expect(fixture.mails).toEqual([]);
});
