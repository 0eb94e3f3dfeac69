import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listSessionsOfUser } from '#lambdas/accounts/sessions/store.ts';
import {
  type DashboardFixture,
  startDashboardFixture,
  startMs,
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
  browser = await signedIn(ada);
});
afterEach(() => dashboard.stop());

async function signedIn(user: FakeUser): Promise<PageClient> {
  const signedInBrowser = dashboard.browser();
  await signedInBrowser.signIn(user);
  return signedInBrowser;
}

const companyUser = () =>
  dashboard.pool.addUser({ email: 'grace@acme.test', name: 'Grace', providerName: 'Acme' });
const operations = () => dashboard.pool.api.requests.map(({ operation }) => operation);
const passkey = (CredentialId: string, seconds: number) => ({
  CredentialId,
  FriendlyCredentialName: `Passkey ${CredentialId}`,
  CreatedAt: startMs / 1000 + seconds,
});
const badRequest = (param: string, message: string) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param, code: 'invalid_request_error' } },
});
const clearedCookie = '__Host-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict';

const account = () => ({
  id: ada.sub,
  email: 'ada@example.com',
  pending_email: null,
  name: 'Ada',
  identity_provider: null,
  time_zone: null,
  mfa_required: false,
  totp_enabled: false,
  passkeys: [],
  add_passkey_url: `${dashboard.pool.origin}/passkeys/add?client_id=client-1&redirect_uri=https%3A%2F%2Fdashboard.example%2Faccount%2Fsecurity`,
});

describe('GET /dashboard/api/account', () => {
  it('returns the account with all of its passkeys', async () => {
    ada.isTotpEnabled = true;
    ada.passkeys.push(passkey('one', 1), passkey('two', 2));
    expect(await browser.call('GET', '/account')).toMatchObject({ status: 200 });
    expect((await browser.call('GET', '/account')).body).toEqual({
      ...account(),
      totp_enabled: true,
      passkeys: [
        { id: 'one', name: 'Passkey one', created_at: '2026-11-23T08:00:01.000Z' },
        { id: 'two', name: 'Passkey two', created_at: '2026-11-23T08:00:02.000Z' },
      ],
    });
  });

  it('says whether a second factor is required, which does not concern users of the company', async () => {
    const { dependencies } = dashboard;
    const changes = { settings: { ...dependencies.settings, requireMfa: true } };
    for (const user of [ada, companyUser()]) {
      const other = dashboard.browser(changes);
      await other.signIn(user);
      const { body } = await other.call('GET', '/account');
      expect(body).toMatchObject({
        mfa_required: user === ada,
        identity_provider: user.providerName ?? null,
      });
    }
  });

  it('asks for no passkeys of a user of the company', async () => {
    const grace = await signedIn(companyUser());
    expect((await grace.call('GET', '/account')).body).toMatchObject({
      email: 'grace@acme.test',
      passkeys: [],
    });
    expect(operations()).toEqual(['DescribeUserPoolClient', 'GetUser']);
  });
});

describe('PATCH /dashboard/api/account', () => {
  it('changes the name, also in the session', async () => {
    const response = await browser.call('PATCH', '/account', { body: { name: '  Ada Lovelace ' } });
    expect(response).toMatchObject({ status: 200 });
    expect(response.body).toEqual({ ...account(), name: 'Ada Lovelace' });
    expect(ada.name).toBe('Ada Lovelace');
    expect((await browser.call('GET', '/session')).body).toMatchObject({ user: { name: 'Ada Lovelace' } });
  });

  const eitherMessage = 'The request body must have either name or time_zone';
  const nameMessage = 'The name must have 1 to 100 characters, all printable';
  it.each<[unknown, string, string]>([
    [{ name: '' }, 'name', nameMessage],
    [{ name: '   ' }, 'name', nameMessage],
    [{ name: 'a'.repeat(101) }, 'name', nameMessage],
    [{ name: 'a\nb' }, 'name', nameMessage],
    [{ name: '\ud800' }, 'name', nameMessage],
    [{ name: 7 }, 'name', 'name must be text'],
    [{}, 'body', eitherMessage],
    [{ name: 'Ada', time_zone: null }, 'body', eitherMessage],
    [{ name: 'Ada', email: 'x' }, 'email', 'email is not a field of this request'],
    ['', 'body', 'The request body must be a JSON object'],
    ['{', 'body', 'The request body must be a JSON object'],
    ['[]', 'body', 'The request body must be a JSON object'],
    ['null', 'body', 'The request body must be a JSON object'],
  ])('returns 400 for %j', async (body, param, message) => {
    expect(await browser.call('PATCH', '/account', { body })).toMatchObject(badRequest(param, message));
    expect(ada.name).toBe('Ada');
  });

  it('accepts bodies of up to 8 kB', async () => {
    const padded = (bytes: number) => {
      const body = '{"name":"Grace"}';
      return ' '.repeat(bytes - body.length) + body;
    };
    expect(await browser.call('PATCH', '/account', { body: padded(8193) })).toMatchObject({
      status: 413,
      body: { error: { code: 'request_too_large', param: 'body' } },
    });
    expect((await browser.call('PATCH', '/account', { body: padded(8192) })).status).toBe(200);
  });

  it('returns 400 for a user of the company', async () => {
    const grace = await signedIn(companyUser());
    const response = await grace.call('PATCH', '/account', { body: { name: 'Eve' } });
    expect(response).toMatchObject(badRequest('name', 'You sign in through Acme: change this there'));
  });
});

describe('The time zone of an account', () => {
  const choose = (client: PageClient, time_zone: unknown) =>
    client.call('PATCH', '/account', { body: { time_zone } });
  const zoneOf = async (client: PageClient, path: string) =>
    ((await client.call('GET', path)).body as { time_zone: unknown }).time_zone;

  it('is chosen once for all sessions, also by a user of the company', async () => {
    const user = companyUser();
    const grace = await signedIn(user);
    const other = await signedIn(user);
    expect(await zoneOf(other, '/session')).toBeNull();

    const response = await choose(grace, 'America/St_Johns');

    expect(response).toMatchObject({ status: 200, body: { time_zone: 'America/St_Johns', name: 'Grace' } });
    expect([await zoneOf(other, '/session'), await zoneOf(other, '/account')]).toEqual([
      'America/St_Johns',
      'America/St_Johns',
    ]);
    expect(await zoneOf(browser, '/session')).toBeNull();
    await choose(grace, null);
    expect(await zoneOf(other, '/session')).toBeNull();
  });

  it('lasts when the name changes, the session is renewed, and the user signs in again', async () => {
    await choose(browser, 'Asia/Tokyo');
    await browser.call('PATCH', '/account', { body: { name: 'Ada Lovelace' } });
    dashboard.clock.nowMs += 3_600_000;
    expect(await zoneOf(browser, '/session')).toBe('Asia/Tokyo');
    expect(await zoneOf(await signedIn(ada), '/session')).toBe('Asia/Tokyo');
  });

  it.each([
    ['europe/berlin', 'Europe/Berlin'],
    ['Etc/UTC', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Port-au-Prince', 'America/Port-au-Prince'],
    ['Etc/GMT+12', 'Etc/GMT+12'],
  ])('is %s as %s', async (name, stored) => {
    expect(await choose(browser, name)).toMatchObject({ status: 200, body: { time_zone: stored } });
  });

  it.each(['', 'Mars/Olympus', '+05:30', 'Europe/Berlin ', 'a'.repeat(65), 7])('is not %j', async (name) => {
    const message = 'time_zone must be an IANA time zone, such as Europe/Berlin, or null';
    expect(await choose(browser, name)).toMatchObject(badRequest('time_zone', message));
    expect(await zoneOf(browser, '/session')).toBeNull();
  });
});

describe('A change of the address', () => {
  const change = (email: unknown) => browser.call('POST', '/account/email', { body: { email } });
  const verify = (code: unknown) => browser.call('POST', '/account/email/verification', { body: { code } });

  it('ends the other sessions, which have the old address', async () => {
    const other = await signedIn(ada);
    await change('ada@example.org');
    expect((await other.call('GET', '/session')).status).toBe(200);
    expect((await verify('123456')).status).toBe(200);
    expect((await other.call('GET', '/session')).status).toBe(401);
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('is pending until the code of the new address is entered', async () => {
    expect(await change(' Ada@Example.ORG ')).toMatchObject({ status: 204, text: '' });
    expect((await browser.call('GET', '/account')).body).toEqual({
      ...account(),
      pending_email: 'Ada@Example.ORG',
    });
    expect((await browser.call('GET', '/session')).body).toMatchObject({
      user: { email: 'ada@example.com' },
    });

    expect(await verify('000000')).toMatchObject(
      badRequest('code', 'The code is wrong: enter the current one'),
    );
    const response = await verify('123456');

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ ...account(), email: 'Ada@example.org' });
    expect((await browser.call('GET', '/session')).body).toMatchObject({
      user: { email: 'Ada@example.org' },
    });
    expect((await browser.call('GET', '/account')).body).toMatchObject({ pending_email: null });
  });

  it('is mailed to the ASCII form of its domain, and stays as it was typed until then', async () => {
    const { settings } = dashboard.dependencies;
    browser = dashboard.browser({
      settings: { ...settings, organizationCreators: ['xn--mller-kva.example'] },
    });
    await browser.signIn(ada);
    expect((await change('Ada@MÜLLER.example')).status).toBe(204);
    expect(ada.pendingEmail).toBe('Ada@xn--mller-kva.example');
    expect((await browser.call('GET', '/account')).body).toMatchObject({
      pending_email: 'Ada@MÜLLER.example',
    });
    expect((await verify('123456')).body).toMatchObject({
      email: 'Ada@xn--mller-kva.example',
      pending_email: null,
    });
    expect(await change('ada@müller.example')).toMatchObject(
      badRequest('email', 'This is the current address of the account'),
    );
  });

  it.each([
    ['ada', 'email must be one address, such as name@example.com'],
    ['ada@example', 'email must be one address, such as name@example.com'],
    ['a@example.com,b@example.com', 'email must be one address, such as name@example.com'],
    ['<a@example.com>', 'email must be one address, such as name@example.com'],
    ['a\u200b@example.com', 'email must be one address, such as name@example.com'],
    ['ada@exa_mple.com', 'email must be one address, such as name@example.com'],
    ['ada@127.0.0.1', 'email must be one address, such as name@example.com'],
    [`ada@${'ü'.repeat(60)}.example`, 'email must be one address, such as name@example.com'],
    [`aaaaaaaaaa@${'ü.'.repeat(30)}example`, 'email must have at most 254 characters'],
    ['a b@example.com', 'email must be one address, such as name@example.com'],
    [`${'a'.repeat(243)}@example.com`, 'email must have at most 254 characters'],
    [null, 'email must be text'],
    ['ADA@example.com', 'This is the current address of the account'],
    ['ada@ACME.example', 'Use the company sign-in (Acme) for this address'],
    ['ada@acme.example.', 'email must be one address, such as name@example.com'],
    ['ada@private.example', 'This address is not invited: ask the administrator of this gateway to allow it'],
  ])('is refused for %j', async (email, message) => {
    expect(await change(email)).toMatchObject(badRequest('email', message));
    expect(ada.pendingEmail).toBeUndefined();
  });

  it.each(['12345', '1234567', '12345a', '１２３４５６', 123456, undefined])(
    'is not verified by the code %j',
    async (code) => {
      await change('ada@example.org');
      expect(await verify(code)).toMatchObject({ status: 400, body: { error: { param: 'code' } } });
      expect(operations()).not.toContain('VerifyUserAttribute');
    },
  );

  it.each<[string, () => void]>([
    ['is no longer verified', () => Object.assign(ada, { isEmailVerified: false })],
    ['belongs to the company', () => Object.assign(ada, { email: 'ada@acme.example' })],
  ])('ends the session when it %s', async (_case, change) => {
    change();
    expect((await browser.call('GET', '/account')).status).toBe(401);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });

  it('that was changed in another session counts here too', async () => {
    ada.email = 'ada@example.org';
    await browser.call('GET', '/account');
    expect((await browser.call('GET', '/session')).body).toMatchObject({
      user: { email: 'ada@example.org' },
    });
  });

  it('is refused for a user of the company', async () => {
    const grace = await signedIn(companyUser());
    const message = 'You sign in through Acme: change this there';
    const responses = [
      await grace.call('POST', '/account/email', { body: { email: 'grace@example.com' } }),
      await grace.call('POST', '/account/email/verification', { body: { code: '123456' } }),
    ];
    expect(responses).toMatchObject([badRequest('email', message), badRequest('code', message)]);
  });

  it('does not restore a session that has been signed out in the meantime', async () => {
    const { client, tableName: TableName } = dashboard.accounts;
    const leaving = dashboard.browser({
      accounts: interceptTable(dashboard.accounts, async (call) => {
        const { Key } = call.input;
        if (isUpdateOf(call, 'pending_email')) await client.send(new DeleteCommand({ TableName, Key }));
        return call.send();
      }),
    });
    await leaving.signIn(dashboard.pool.addUser({ email: 'eve@example.com' }));
    await leaving.call('POST', '/account/email', { body: { email: 'eve@example.org' } });
    expect((await leaving.call('GET', '/session')).status).toBe(401);
  });
});

describe('Passkeys', () => {
  it('are removed one by one', async () => {
    ada.passkeys.push(passkey('a-_1', 1), passkey('two', 2));
    expect(await browser.call('DELETE', '/account/passkeys/a-_1')).toMatchObject({ status: 204 });
    expect(ada.passkeys.map(({ CredentialId }) => CredentialId)).toEqual(['two']);
    expect(await browser.call('DELETE', '/account/passkeys/a-_1')).toMatchObject({
      status: 404,
      body: { error: { message: 'There is no such passkey', code: 'not_found' } },
    });
  });
});

describe('An authenticator app', () => {
  it('is on once a code of its secret was entered, and can be removed', async () => {
    const { status, body } = await browser.call('POST', '/account/totp');
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    expect([status, body]).toEqual([
      200,
      { secret, uri: `otpauth://totp/AI%20gateway:ada%40example.com?secret=${secret}&issuer=AI%20gateway` },
    ]);
    const enter = (code: string) => browser.call('POST', '/account/totp/verification', { body: { code } });
    expect(await enter('000000')).toMatchObject(
      badRequest('code', 'The code is wrong: enter the current one'),
    );
    expect(ada.isTotpEnabled).toBe(false);
    expect(await enter('123456')).toMatchObject({ status: 204 });
    expect(ada.isTotpEnabled).toBe(true);
    expect((await browser.call('DELETE', '/account/totp')).status).toBe(204);
    expect(ada.isTotpEnabled).toBe(false);
  });

  it('lets a passkey replace its code, as long as there is one', async () => {
    await browser.call('POST', '/account/totp/verification', { body: { code: '123456' } });
    expect(ada.isPasskeyMfaEnabled).toBe(false);
    // Managed login adds it and returns to the account page.
    ada.passkeys.push({ CredentialId: 'one', FriendlyCredentialName: 'Phone', CreatedAt: 0 });
    await browser.call('GET', '/account');
    expect(ada.isPasskeyMfaEnabled).toBe(true);
    await browser.call('DELETE', '/account/passkeys/one');
    expect([ada.isTotpEnabled, ada.isPasskeyMfaEnabled]).toEqual([true, false]);
  });

  it('can be removed although a passkey replaced its code', async () => {
    ada.passkeys.push({ CredentialId: 'one', FriendlyCredentialName: 'Phone', CreatedAt: 0 });
    await browser.call('POST', '/account/totp/verification', { body: { code: '123456' } });
    expect(ada.isPasskeyMfaEnabled).toBe(true);
    expect((await browser.call('DELETE', '/account/totp')).status).toBe(204);
    expect([ada.isTotpEnabled, ada.isPasskeyMfaEnabled]).toEqual([false, false]);
  });

  it('cannot be removed if a second factor is required', async () => {
    ada.isTotpEnabled = true;
    const { settings } = dashboard.dependencies;
    const other = dashboard.browser({ settings: { ...settings, requireMfa: true } });
    await other.signIn(ada);
    const message = 'This gateway requires a second factor: set up another app instead';
    expect(await other.call('DELETE', '/account/totp')).toMatchObject(badRequest('totp', message));
    expect(ada.isTotpEnabled).toBe(true);
  });

  it('and passkeys are not for users of the company', async () => {
    const grace = await signedIn(companyUser());
    const message = 'You sign in through Acme: change this there';
    const responses = [
      await grace.call('DELETE', '/account/passkeys/one'),
      await grace.call('POST', '/account/totp'),
      await grace.call('POST', '/account/totp/verification', { body: { code: '123456' } }),
      await grace.call('DELETE', '/account/totp'),
    ];
    expect(responses).toMatchObject(
      ['id', 'totp', 'code', 'totp'].map((param) => badRequest(param, message)),
    );
    expect(operations()).toEqual(['DescribeUserPoolClient']);
  });
});

describe('DELETE /dashboard/api/account', () => {
  const deleteAccount = (from = browser) =>
    from.call('DELETE', '/account', { body: { email: 'ADA@example.com' } });
  const records = () => listSessionsOfUser(dashboard.accounts, ada.sub);

  it('deletes the user and all sessions', async () => {
    const other = await signedIn(ada);
    expect(await deleteAccount()).toMatchObject({ status: 204, setCookies: [clearedCookie] });
    expect(dashboard.pool.users.has(ada.sub)).toBe(false);
    expect(await records()).toEqual([]);
    expect((await other.call('GET', '/session')).status).toBe(401);
    expect(dashboard.lines.at(-1)).toEqual({ level: 'INFO', event: 'account_deleted', user_id: ada.sub });
  });

  it('returns 400 unless the address is that of the account', async () => {
    const response = await browser.call('DELETE', '/account', { body: { email: 'eve@example.com' } });
    expect(response).toMatchObject(
      badRequest('email', 'email must be the address of this account, to confirm its deletion'),
    );
    expect(dashboard.pool.users.has(ada.sub)).toBe(true);
  });

  it('keeps everything when Cognito is unavailable', async () => {
    recordLogLines();
    dashboard.pool.api.failures.set('DeleteUser', 'InternalErrorException');
    expect((await deleteAccount()).status).toBe(503);
    expect(await records()).toHaveLength(1);
  });

  it('ends all sessions when it is repeated after a failure half-way', async () => {
    recordLogLines();
    await signedIn(ada);
    const failing = dashboard.browser({
      accounts: interceptTable(dashboard.accounts, ({ operation, input, send }) => {
        const isDeletion = operation === 'DeleteCommand' && String(input.Key?.sk).startsWith('session#');
        return isDeletion ? Promise.reject(new Error('stopped')) : send();
      }),
    });
    await failing.signIn(ada);
    const [again] = [dashboard.browser()];
    again.cookies.set('__Host-session', failing.cookies.get('__Host-session') ?? '');
    expect((await deleteAccount(failing)).status).toBe(500);
    expect(await records()).toHaveLength(3);

    expect(await deleteAccount(again)).toMatchObject({ status: 204, setCookies: [clearedCookie] });

    expect(await records()).toEqual([]);
  });
});

describe('Errors of Cognito', () => {
  const rename = (from = browser) => from.call('PATCH', '/account', { body: { name: 'Grace' } });

  it.each([
    'NotAuthorizedException',
    'UserNotFoundException',
    'PasswordResetRequiredException',
    'UserNotConfirmedException',
  ])('end the session when it is %s', async (name) => {
    dashboard.pool.api.failures.set('UpdateUserAttributes', name);
    expect(await rename()).toMatchObject({ status: 401, body: { error: { code: 'invalid_session' } } });
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });

  it('end the session of a user who was disabled, before its renewal', async () => {
    ada.isEnabled = false;
    expect((await browser.call('GET', '/account')).status).toBe(401);
    expect((await browser.call('GET', '/session')).status).toBe(401);
  });

  it.each([
    ['InvalidParameterException', 400, 'invalid_request_error', 'name'],
    ['LimitExceededException', 429, 'rate_limit_exceeded', null],
    ['TooManyRequestsException', 429, 'rate_limit_exceeded', null],
    ['AliasExistsException', 400, 'invalid_request_error', 'email'],
    ['ExpiredCodeException', 400, 'invalid_request_error', 'code'],
    ['SoftwareTokenMFANotFoundException', 400, 'invalid_request_error', 'code'],
    ['CodeDeliveryFailureException', 503, 'service_unavailable', null],
  ])('are explained when it is %s, without its message', async (name, status, code, param) => {
    dashboard.pool.api.failures.set('UpdateUserAttributes', name);
    const response = await rename();
    expect(response).toMatchObject({ status, body: { error: { code, param } } });
    expect(response.text).not.toContain('quotes');
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it.each([
    ['InternalErrorException', 503, 'service_unavailable'],
    ['UnexpectedLambdaException', 500, 'internal_error'],
  ])('are logged when it is %s', async (name, status, code) => {
    const lines = recordLogLines();
    dashboard.pool.api.failures.set('UpdateUserAttributes', name);
    const response = await rename();
    expect(response).toMatchObject({ status, body: { error: { code, param: null } } });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('quotes');
  });
});
