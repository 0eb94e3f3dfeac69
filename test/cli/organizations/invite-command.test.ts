import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInvitation } from '#lambdas/accounts/invitations/store.ts';
import { saveProfile } from '#lambdas/accounts/members/profiles.ts';
import { joinItems } from '#lambdas/accounts/members/store.ts';
import { type AdminFixture, createAdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { operatorArn } from '#test/support/aws/fake-sts.ts';

const organizationId = 'org_0000000000000001';
const dayMs = 86_400_000;
let gateway: AdminFixture;

beforeAll(async () => {
  gateway = await startAdminFixture();
  const created_at = '2026-01-01T00:00:00.000Z';
  const organization = { id: organizationId, name: 'Acme', created_at, log_shards: 1 };
  await gateway.directory.createOrganization(organization, gateway.audit);
});
afterAll(() => gateway?.stop());

const accounts = () => ({ client: gateway.database.documentClient, tableName: gateway.tables.accounts });
const invite = (...options: string[]) =>
  gateway.run(['org', 'invite', '--organization', organizationId, ...options]);

function find(url: string) {
  const hash = createHash('sha256')
    .update(url.slice(url.lastIndexOf('/') + 1))
    .digest('hex');
  return findInvitation(accounts(), { organizationId, hash });
}

describe('org invite', () => {
  it('prints the link of an invitation for the first owner', async () => {
    const beforeMs = Date.now();
    const { exitCode, stdout, stderr } = await invite('--email', ' Jane@Example.com', '--json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { url, ...invitation } = JSON.parse(stdout);
    expect(url).toMatch(
      new RegExp(`^https://gateway\\.example\\.com/invitations/${organizationId}\\.[\\w-]{43}$`),
    );
    expect(invitation).toEqual({
      organization_id: organizationId,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      email: 'Jane@Example.com',
      role: 'owner',
      expires_at: expect.stringMatching(/Z$/),
      mailed: false,
    });
    // The clock of the table has whole seconds.
    const lifetimeMs = Date.parse(invitation.expires_at) - beforeMs;
    expect(lifetimeMs).toBeGreaterThan(7 * dayMs - 3000);
    expect(lifetimeMs).toBeLessThan(7 * dayMs + 60_000);
    expect(await find(url)).toMatchObject({
      id: invitation.id,
      email: 'Jane@Example.com',
      role: 'owner',
      createdBy: { type: 'operator', id: operatorArn, name: operatorArn },
      acceptedAt: null,
      revokedAt: null,
      validUntil: invitation.expires_at,
    });
  });

  it('replaces the pending invitation for the same address, and says that the link is shown once', async () => {
    const first = JSON.parse((await invite('--email', 'joe@example.com', '--json')).stdout);
    const { stdout } = await invite('--email', 'Joe@Example.com', '--role', 'viewer');

    const [url = '', , text] = stdout.split('\n');
    expect(text).toMatch(
      /^Send this link to Joe@Example\.com yourself: no e-mail was sent, and it is not shown again\. It can be used once, until \S+Z\.$/,
    );
    expect(await find(url)).toMatchObject({ role: 'viewer', revokedAt: null });
    expect(await find(first.url)).toMatchObject({ role: 'owner', revokedAt: expect.any(String) });
  });

  it('sends the link with the setting mailFrom, and prints it too', async () => {
    const sending = await createAdminFixture({ ...gateway, mailFrom: 'gateway@acme.example' });
    const commandLine = ['org', 'invite', '--organization', organizationId, '--email', 'kim@example.com'];

    const { exitCode, stdout, stderr } = await sending.run([...commandLine, '--role', 'admin']);
    const json = JSON.parse((await sending.run([...commandLine, '--json'])).stdout);

    await sending.stop();
    const [url = '', , text] = stdout.split('\n');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(text).toMatch(
      /^This link was sent to kim@example\.com\. It can be used once, until \d{4}-\d\d-\d\dT\S+Z\.$/,
    );
    const invitation = await find(url);
    const body = `Hello,

The administrator of this gateway invites you to join the organization "Acme" of an AI gateway, as admin.

To accept, open this link and sign in with kim@example.com:

${url}

The link works once, until ${invitation?.validUntil.slice(0, 10)}. If you did not expect this invitation, you can ignore it.
`;
    expect(sending.ses.requests[0]).toEqual({
      FromEmailAddress: 'gateway@acme.example',
      Destination: { ToAddresses: ['kim@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: 'Invitation to the organization "Acme"', Charset: 'UTF-8' },
          Body: { Text: { Data: body, Charset: 'UTF-8' } },
        },
      },
    });
    expect(json).toMatchObject({ mailed: true, url: expect.stringContaining('/invitations/') });
  });

  it('succeeds with the link and a note when the mail cannot be sent', async () => {
    const sending = await createAdminFixture({ ...gateway, mailFrom: 'gateway@acme.example' });
    sending.ses.failure = { status: 400, name: 'MessageRejected' };

    const { exitCode, stdout, stderr } = await sending.run([
      ...['org', 'invite', '--organization', organizationId, '--email', 'lee@example.com'],
    ]);

    await sending.stop();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'note: the e-mail to lee@example.com was not sent: MessageRejected: Email address is not verified: lee@example.com\n',
    });
    const [url = '', , text] = stdout.split('\n');
    expect(await find(url)).toMatchObject({ email: 'lee@example.com', revokedAt: null });
    expect(text).toMatch(
      /^Send this link to lee@example\.com yourself: no e-mail was sent, and it is not shown again\./,
    );
  });

  it('sends five a day to an address, then says the same as without a sender', async () => {
    const sending = await createAdminFixture({ ...gateway, mailFrom: 'gateway@acme.example' });
    const run = (fixture: AdminFixture, email: string, ...options: string[]) =>
      fixture.run(['org', 'invite', '--organization', organizationId, '--email', email, ...options]);
    const mailed: boolean[] = [];
    for (let count = 0; count < 6; count++) {
      const email = count % 2 === 0 ? 'max@xn--mller-kva.example' : 'Max@Müller.example';
      mailed.push(JSON.parse((await run(sending, email, '--json')).stdout).mailed);
    }
    const limited = await run(sending, 'max@müller.example');
    const withoutSender = await run(gateway, 'max@müller.example');
    await sending.stop();

    expect(mailed).toEqual([true, true, true, true, true, false]);
    const addresses = sending.ses.requests.map(
      (body) => (body as { Destination: { ToAddresses: string[] } }).Destination.ToAddresses,
    );
    expect(addresses).toEqual(
      ['max', 'Max', 'max', 'Max', 'max'].map((name) => [`${name}@xn--mller-kva.example`]),
    );
    const wording = ({ stdout, ...rest }: typeof limited) => ({
      ...rest,
      stdout: stdout.replace(/^\S+/, 'URL').replace(/until \S+\./, 'until TIME.'),
    });
    expect(wording(limited)).toEqual(wording(withoutSender));
    expect(wording(limited)).toEqual({
      exitCode: 0,
      stderr: '',
      stdout:
        'URL\n\nSend this link to max@müller.example yourself: no e-mail was sent, and it is not shown again. It can be used once, until TIME.\n',
    });
  });

  it('rejects the address of a member', async () => {
    const membership = {
      organizationId,
      userId: 'user-1',
      role: 'owner',
      joinedAt: '2026-01-01T00:00:00Z',
    } as const;
    const items = joinItems(accounts(), membership);
    const target = { type: 'member', id: 'user-1', name: null } as const;
    await gateway.audit.transact({
      event: { action: 'member.joined', organizationId, target, before: null, after: null },
      items,
    });
    await saveProfile(accounts(), { id: 'user-1', email: 'ada@example.com', name: null });

    expect(await invite('--email', 'ada@example.com')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: ada@example.com is already a member of Acme\n',
    });
  });

  it.each([
    [['--email', 'jane'], '--email must be an e-mail address, such as name@example.com'],
    [['--email', 'jane@example.com', '--role', 'king'], '--role must be owner, admin, member or viewer'],
    [[], "required option '--email <address>' not specified (see --help)"],
  ])('rejects %j', async (options, message) => {
    expect(await invite(...options)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
  });

  it('explains that a gateway without a dashboard has no members', async () => {
    const other = await createAdminFixture({ ...gateway, hasDashboard: false });

    const { exitCode, stderr } = await other.run([
      ...['org', 'invite', '--organization', organizationId, '--email', 'jane@example.com'],
    ]);

    await other.stop();
    expect([exitCode, stderr]).toEqual([
      1,
      'error: The local gateway has no dashboard, in which members sign in: set "dashboard: true" in gateway.config.ts and deploy it\n',
    ]);
  });
});

describe('A deleted organization', () => {
  const id = 'org_deleted';
  beforeAll(async () => {
    const created_at = '2026-01-01T00:00:00.000Z';
    await gateway.directory.createOrganization(
      { id, name: 'Gone', created_at, log_shards: 1 },
      gateway.audit,
    );
    await gateway.directory.deleteOrganization({
      organizationId: id,
      audit: gateway.audit,
      readMemberships: async () => [],
    });
  });

  it.each([
    'org scale --log-shards 4',
    'org invite --email jane@example.com',
    'key create --name build',
    'key rotate --key key_1',
    'budget set --amount 1 --period day',
    'budget remove --period day',
    'limit set --concurrent 1',
    'limit remove',
  ])('cannot be changed: %s', async (command) => {
    expect(await gateway.run([...command.split(' '), '--organization', id])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: Organization ${id} is deleted and can no longer be changed\n`,
    });
  });

  it('is shown as deleted', async () => {
    const { stdout } = await gateway.run(['org', 'list']);
    const listed: { id: string }[] = JSON.parse((await gateway.run(['org', 'list', '--json'])).stdout);

    expect(stdout).toMatch(/\norg_deleted +Gone +1 +\S+ +deleted 2\d{3}-\S+Z\n/);
    expect(listed.find((organization) => organization.id === id)).toEqual({
      id,
      name: 'Gone',
      created_at: '2026-01-01T00:00:00.000Z',
      log_shards: 1,
      deleted_at: expect.stringMatching(/Z$/),
    });
    expect((await gateway.run(['key', 'list', '--organization', id])).exitCode).toBe(0);
  });
});
