import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import { listMembershipsOfOrganization } from '#lambdas/accounts/members/store.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import {
  apiBaseUrl,
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

const startedAt = '2026-11-23T08:00:00.000Z';
const noOrganization = {
  status: 404,
  body: {
    error: {
      message: 'There is no such organization among yours',
      type: 'invalid_request_error',
      param: null,
      code: 'not_found',
    },
  },
};
const badName = (message: string) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: 'name', code: 'invalid_request_error' } },
});

describe('POST /dashboard/api/organizations', () => {
  it('creates an organization with the user as its first owner, and records it', async () => {
    const ada = await fixture.signIn('Ada');
    const { status, body } = await fixture.call(ada, 'POST', '/organizations', { name: '  Acme & Café ' });
    const { id } = body as { id: string };
    expect(id).toMatch(/^org_\w{16}$/);
    const details = {
      id,
      name: 'Acme & Café',
      role: 'owner',
      created_at: startedAt,
      api_base_url: apiBaseUrl,
      entry_retention_days: 90,
      key_revocation_seconds: 20,
      first_key_seen: false,
      models: null,
    };
    expect([status, body]).toEqual([200, details]);
    expect(await fixture.call(ada, 'GET', `/organizations/${id}`)).toMatchObject({
      status: 200,
      body: details,
    });
    expect(await fixture.auditRecords(id)).toMatchObject([
      {
        action: 'organization.created',
        actor: { type: 'user', id: ada.id, name: 'Ada', email: 'ada@example.com' },
        target: { type: 'organization', id, name: 'Acme & Café' },
        before: null,
        after: { name: 'Acme & Café' },
        stage: 'completed',
      },
    ]);
  });

  it('is for organization creators alone; others are told so', async () => {
    const eve = await fixture.signIn('Eve', { email: 'eve@example.net' });
    expect(await fixture.call(eve, 'POST', '/organizations', { name: 'Evil' })).toMatchObject({
      status: 403,
      body: {
        error: {
          code: 'forbidden',
          message:
            'This address may not create organizations: ask the administrator of this gateway to allow it',
        },
      },
    });
    const list = { object: 'list', data: [] };
    const listed = await fixture.call(eve, 'GET', '/organizations');
    expect(listed.body).toEqual({ ...list, can_create: false });
    const anyone = { settings: { ...fixture.dependencies.settings, organizationCreators: ['*'] } };
    const open = await fixture.callWith(anyone)(eve, 'GET', '/organizations');
    expect(open.body).toEqual({ ...list, can_create: true });
  });

  const message = 'The name must have 1 to 100 characters, all printable';
  it.each([
    ['', message],
    ['  ', message],
    ['a'.repeat(101), message],
    ['a\u2028b', message],
    ['a\tb', message],
    ['a\u202eb', message],
    ['a\u200bb', message],
    ['\u200d\ufe0f', message],
    ['\u3164', message],
    [7, 'name must be text'],
  ])('returns 400 for the name %j', async (name, message) => {
    const ada = await fixture.signIn('Ada');
    expect(await fixture.call(ada, 'POST', '/organizations', { name })).toMatchObject(badName(message));
  });
});

describe('GET /dashboard/api/organizations', () => {
  it('lists the organizations of the user with the role in each, the oldest membership first', async () => {
    const [ada, bob] = [await fixture.signIn('Ada'), await fixture.signIn('Bob')];
    const first = await fixture.createOrganization(bob, 'First');
    await fixture.createOrganization(bob, 'Of others');
    fixture.clock.nowMs += 1000;
    const second = await fixture.createOrganization(ada, 'Second');
    fixture.clock.nowMs += 1000;
    await fixture.join(first.id, ada, 'viewer');
    expect((await fixture.call(ada, 'GET', '/organizations')).body).toEqual({
      object: 'list',
      data: [
        { id: second.id, name: 'Second', role: 'owner' },
        { id: first.id, name: 'First', role: 'viewer' },
      ],
      can_create: true,
    });
  });
});

describe('An organization', () => {
  it('does not exist for others, who get the same response as for one that nobody has', async () => {
    const [ada, eve] = [await fixture.signIn('Ada'), await fixture.signIn('Eve')];
    const { id } = await fixture.createOrganization(ada);
    for (const path of [`/organizations/${id}`, '/organizations/org_0000000000000000']) {
      expect(await fixture.call(eve, 'GET', path)).toMatchObject(noOrganization);
      expect(await fixture.call(eve, 'GET', `${path}/members`)).toMatchObject(noOrganization);
      expect(await fixture.call(eve, 'DELETE', path, { name: 'Acme' })).toMatchObject(noOrganization);
    }
  });

  it('needs a session, the header of the page, and a session that was renewed within the hour', async () => {
    const ada = await fixture.signIn('Ada');
    const { id } = await fixture.createOrganization(ada);
    const path = `/organizations/${id}`;
    const codeOf = async (response: ReturnType<typeof fixture.call>) => {
      const { status, body } = await response;
      return [status, (body as { error: { code: string } }).error.code];
    };
    expect(await codeOf(fixture.call(null, 'GET', path))).toEqual([401, 'invalid_session']);
    expect(
      await codeOf(fixture.call(ada, 'GET', path, undefined, { headers: { 'x-dashboard': null } })),
    ).toEqual([403, 'forbidden']);
    expect(await codeOf(fixture.call(ada, 'POST', path, {}))).toEqual([405, 'method_not_allowed']);
    fixture.clock.nowMs += 3_659_999;
    expect((await fixture.call(ada, 'GET', path)).status).toBe(200);
    fixture.clock.nowMs += 1;
    expect(await codeOf(fixture.call(ada, 'GET', path))).toEqual([401, 'session_renewal_due']);
    fixture.clock.nowMs -= 3_660_000;
  });

  it('has a name in NFC with single spaces, which may contain emojis', async () => {
    const ada = await fixture.signIn('Ada');
    const family = '\u{1f469}\u200d\u{1f467} \u2764\ufe0f';
    const { name } = await fixture.createOrganization(ada, ` Cafe\u0301 \u00a0 ${family} `);
    expect(name).toBe(`Caf\u00e9 ${family}`);
  });

  it('is renamed by owners; the same name again changes nothing', async () => {
    const [ada, bob] = [await fixture.signIn('Ada'), await fixture.signIn('Bob')];
    const { id } = await fixture.createOrganization(ada);
    await fixture.join(id, bob, 'admin');
    const rename = (user: typeof ada, name: string) =>
      fixture.call(user, 'PATCH', `/organizations/${id}`, { name });
    fixture.clock.nowMs += 1000;

    expect(await rename(bob, 'Bobs')).toMatchObject({
      status: 403,
      body: {
        error: {
          message:
            'Your role in this organization does not include the permission manage_organization: ask an owner',
        },
      },
    });
    expect(await rename(ada, '')).toMatchObject(
      badName('The name must have 1 to 100 characters, all printable'),
    );
    expect(await rename(ada, 'Acme 2')).toMatchObject({ status: 200, body: { id, name: 'Acme 2' } });
    expect(await rename(ada, 'Acme 2')).toMatchObject({ status: 200, body: { id, name: 'Acme 2' } });

    expect((await fixture.auditRecords(id)).slice(1)).toMatchObject([
      { action: 'organization.renamed', before: { name: 'Acme' }, after: { name: 'Acme 2' } },
    ]);
  });
});

/** The change takes place after the invitations were listed, and before the members are. */
function callDuringDeletion(change: () => Promise<void>): OrganizationsFixture['call'] {
  return fixture.callWith({
    accounts: interceptTable(fixture.dependencies.accounts, async ({ operation, input, send }) => {
      const { ':prefix': prefix } = input.ExpressionAttributeValues ?? {};
      if (operation === 'QueryCommand' && prefix === 'member#') await change();
      return send();
    }),
  });
}

describe('DELETE /dashboard/api/organizations/{organization}', () => {
  it('refuses the keys, and removes members and pending invitations, in one transaction with its record', async () => {
    const [ada, bob] = [await fixture.signIn('Ada'), await fixture.signIn('Bob')];
    const { id } = await fixture.createOrganization(ada);
    await fixture.join(id, bob, 'member');
    const { dependencies } = fixture;
    const audit = fixture.auditOf(bob);
    const { key, apiKey } = issueApiKey({
      organizationId: id,
      name: 'production',
      createdAt: dependencies.now(),
      createdBy: creatorOf(audit.actor),
    });
    await dependencies.directory.createApiKey(apiKey, hashApiKey(key), audit);
    const invited = await fixture.call(ada, 'POST', `/organizations/${id}/invitations`, {
      email: 'carol@example.net',
      role: 'viewer',
    });
    const token = (invited.body as { url: string }).url.split('/').at(-1);
    fixture.clock.nowMs += 1000;

    const wrongName = await fixture.call(ada, 'DELETE', `/organizations/${id}`, { name: 'acme' });
    expect(wrongName).toMatchObject(
      badName('name must be the name of this organization, to confirm its deletion'),
    );
    const deleted = await fixture.call(ada, 'DELETE', `/organizations/${id}`, { name: 'Acme' });
    expect(deleted).toMatchObject({ status: 204, text: '' });

    expect(await fixture.call(ada, 'GET', `/organizations/${id}`)).toMatchObject(noOrganization);
    expect((await fixture.call(bob, 'GET', '/organizations')).body).toMatchObject({ data: [] });
    expect(await listMembershipsOfOrganization(dependencies.accounts, id)).toEqual([]);
    const actor = { type: 'user', id: ada.id, name: 'Ada' };
    expect(await dependencies.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({
      id: apiKey.id,
      revoked_at: new Date(fixture.clock.nowMs).toISOString(),
    });
    const carol = await fixture.signIn('Carol', { email: 'carol@example.net' });
    expect((await fixture.call(null, 'POST', '/invitations/offer', { token })).status).toBe(404);
    expect((await fixture.call(carol, 'POST', '/invitations/acceptance', { token })).status).toBe(404);
    expect((await fixture.auditRecords(id)).at(-1)).toMatchObject({
      action: 'organization.deleted',
      target: { type: 'organization', id, name: 'Acme' },
      actor,
    });
  });

  it('is refused when the organization is renamed after the confirmation', async () => {
    const ada = await fixture.signIn('Ada');
    const { id } = await fixture.createOrganization(ada);
    const { directory } = fixture.dependencies;
    const call = callDuringDeletion(async () => {
      await directory.renameOrganization(id, 'Other', fixture.auditOf(ada));
    });
    expect(await call(ada, 'DELETE', `/organizations/${id}`, { name: 'Acme' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', param: 'name' } },
    });
    expect((await fixture.call(ada, 'GET', `/organizations/${id}`)).body).toMatchObject({ name: 'Other' });
  });

  it('leaves no invitation that is created at the same time', async () => {
    const ada = await fixture.signIn('Ada');
    const { id } = await fixture.createOrganization(ada);
    const { accounts, now } = fixture.dependencies;
    let late: string | null = null;
    const call = callDuringDeletion(async () => {
      if (late !== null) return;
      late = 'late@example.net';
      const invitation = { email: late, role: 'viewer' };
      await fixture.call(ada, 'POST', `/organizations/${id}/invitations`, invitation);
    });
    expect((await call(ada, 'DELETE', `/organizations/${id}`, { name: 'Acme' })).status).toBe(204);
    expect(late).not.toBeNull();
    expect(await isInvited(accounts, 'late@example.net', now())).toBe(false);
  });

  it('is for owners alone', async () => {
    const [ada, bob] = [await fixture.signIn('Ada'), await fixture.signIn('Bob')];
    const { id } = await fixture.createOrganization(ada);
    await fixture.join(id, bob, 'admin');
    expect((await fixture.call(bob, 'DELETE', `/organizations/${id}`, { name: 'Acme' })).status).toBe(403);
    expect((await fixture.call(bob, 'GET', `/organizations/${id}`)).status).toBe(200);
  });
});
