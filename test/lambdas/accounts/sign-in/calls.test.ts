import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCookies } from '#lambdas/accounts/http/cookies.ts';
import { listSessionsOfUser } from '#lambdas/accounts/sessions/store.ts';
import { createSignInHandler, routes } from '#lambdas/accounts/sign-in/handler.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import {
  type DashboardFixture,
  dashboardOrigin,
  startDashboardFixture,
  startMs,
} from '#test/support/accounts/dashboard-fixture.ts';
import type { FakeUser } from '#test/support/accounts/fake-pool-state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let database: EmbeddedDynamoDB;
let dashboard: DashboardFixture;
let ada: FakeUser;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  dashboard = await startDashboardFixture(database);
  ada = dashboard.pool.addUser({ email: 'ada@example.com' });
});
afterEach(() => dashboard.stop());

async function signedIn(user = ada) {
  const browser = dashboard.browser();
  await browser.signIn(user);
  return browser;
}

const clearedCookie = '__Host-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict';
const noSession = {
  status: 401,
  body: {
    error: {
      message: 'There is no session, or it has ended: sign in',
      type: 'authentication_error',
      param: null,
      code: 'invalid_session',
    },
  },
};

describe('The order of checks', () => {
  const calls = routes.filter(({ kind }) => kind !== 'navigation');
  const concrete = (path: string) => path.replace('/dashboard/api', '').replace('{id}', '0123456789abcdef');

  it.each(calls)(
    'returns 403 for $method $path without the header, also with a session',
    async ({ method, path }) => {
      const browser = await signedIn();
      for (const value of [null, '', '0', '1, 1', 'true']) {
        const response = await browser.call(method, concrete(path), { headers: { 'x-dashboard': value } });
        expect(response).toMatchObject({
          status: 403,
          body: { error: { code: 'forbidden', param: 'x-dashboard' } },
        });
      }
      expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toHaveLength(1);
    },
  );

  it.each([
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
    ['sec-fetch-site', 'none'],
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', `${dashboardOrigin}.evil.example`],
  ])('returns 403 when %s is %s', async (name, value) => {
    const browser = await signedIn();
    for (const path of ['/session', '/sign-in-options', '/unknown']) {
      const response = await browser.call('GET', path, { headers: { [name]: value } });
      expect(response).toMatchObject({
        status: 403,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        body: { error: { type: 'invalid_request_error', code: 'forbidden', param: name } },
      });
    }
  });

  it('accepts calls of the page', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', origin: dashboardOrigin };
    expect((await (await signedIn()).call('GET', '/session', { headers })).status).toBe(200);
  });

  it('checks the header before the path, the path before the session, and the session before the body', async () => {
    const stranger = dashboard.browser();
    const withoutHeader = { headers: { 'x-dashboard': null } };
    const statuses = [
      await stranger.call('GET', '/unknown', withoutHeader),
      await stranger.call('POST', '/callback', withoutHeader),
      await stranger.call('GET', '/unknown'),
      await stranger.call('POST', '/session'),
      await stranger.call('PATCH', '/account', { body: '{' }),
      await (await signedIn()).call('PATCH', '/account', { body: '{' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 404, 405, 401, 400]);
  });

  it.each([
    ['POST', '/session', 'GET, DELETE'],
    ['GET', '/sessions/0123456789abcdef', 'DELETE'],
    ['POST', '/account', 'GET, PATCH, DELETE'],
    ['POST', '/sign-in', 'GET'],
    ['DELETE', '/sign-in-options', 'GET'],
  ])('returns 405 for %s %s with the methods of the path', async (method, path, allow) => {
    const response = await (await signedIn()).call(method, path);
    expect(response).toMatchObject({
      status: 405,
      headers: { allow },
      body: { error: { code: 'method_not_allowed' } },
    });
  });

  it.each([
    '',
    '/',
    '/unknown',
    '/session/',
    '/sessions/',
    '/sessions/a/b',
    '/sessions/a%2fb',
    '/Session',
    '//session',
    '/account/passkeys',
    '/account/passkeys/',
    '/__proto__',
  ])('returns 404 for %j', async (path) => {
    const response = await (await signedIn()).call('DELETE', path);
    expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it.each(calls.filter(({ kind }) => kind === 'call'))(
    'returns 401 for $method $path without a session',
    async ({ method, path }) => {
      expect(await dashboard.browser().call(method, concrete(path), { body: {} })).toMatchObject(noSession);
    },
  );
});

describe('The session cookie', () => {
  it('has 256 random bits, and the table has neither them nor the tokens', async () => {
    const browser = await signedIn();
    const value = browser.cookies.get('__Host-session') ?? '';
    const [userId, secret = ''] = value.split('.');
    expect(userId).toBe(ada.sub);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    const { Items = [] } = await database.documentClient.send(
      new ScanCommand({ TableName: dashboard.accounts.tableName }),
    );
    expect(Items.map(({ sk }) => String(sk).replace(/#.*/, '')).sort()).toEqual(['profile', 'session']);
    const stored = JSON.stringify(Items, (_, part) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('latin1') : part,
    );
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'));
    expect(stored).not.toMatch(/access-|refresh-/);
  });

  it('cannot be replaced by anything in the table', async () => {
    const browser = await signedIn();
    const [record] = await listSessionsOfUser(dashboard.accounts, ada.sub);
    const hash = record?.hash ?? '';
    const bytes = Buffer.from(hash, 'hex').toString('base64url');
    const other = await signedIn(dashboard.pool.addUser({ email: 'eve@example.com' }));
    const [, otherSecret] = (other.cookies.get('__Host-session') ?? '').split('.');
    for (const value of [
      hash,
      `${ada.sub}.${hash}`,
      `${ada.sub}.${bytes}`,
      `${ada.sub}.${otherSecret}`,
      `${ada.sub}.`,
      '',
    ]) {
      browser.cookies.set('__Host-session', value);
      expect(await browser.call('GET', '/session')).toMatchObject(noSession);
    }
  });

  it('has exactly its name, to which alone browsers apply the rules of the prefix', async () => {
    const browser = await signedIn();
    const value = browser.cookies.get('__Host-session') ?? '';
    const statusOf = async (cookie: string) =>
      (await dashboard.browser().call('GET', '/session', { headers: { Cookie: cookie } })).status;

    expect(await statusOf(`\u00a0__Host-session=${value}`)).toBe(401);
    expect(await statusOf(`__Host-sessionX; __Host-session=${value}`)).toBe(200);
  });

  it('is invalid twelve hours after the sign-in, although the record remains', async () => {
    const browser = await signedIn();
    for (let hour = 1; hour < 12; hour += 1) {
      dashboard.clock.nowMs = startMs + hour * 3_600_000;
      expect((await browser.call('GET', '/session')).status).toBe(200);
    }
    dashboard.clock.nowMs = startMs + 12 * 3_600_000 - 1;
    expect((await browser.call('GET', '/session')).status).toBe(200);
    dashboard.clock.nowMs += 1;
    expect(await browser.call('GET', '/session')).toMatchObject(noSession);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toMatchObject([
      { expiresAt: startMs / 1000 + 12 * 3600 },
    ]);
  });

  it('is read from each header line alone, and only if it is unambiguous', () => {
    const read = (...lines: string[]) =>
      readCookies({ headers: {}, multiValueHeaders: { cookie: lines } }).get('__Host-session');
    expect(read('a=1; __Host-session=x; b=2')).toBe('x');
    expect(read('a=1', '__Host-session=x')).toBe('x');
    expect(read('a=1, __Host-session=x')).toBeUndefined();
    expect(read('__Host-session=x; __Host-session=y')).toBeUndefined();
    expect(read('__Host-session=x', '__Host-session=x')).toBe('x');
    expect(
      readCookies({ headers: { Cookie: '__Host-session=x' }, multiValueHeaders: {} }).get('__Host-session'),
    ).toBe('x');
  });
});

describe('Sign-out', () => {
  it('ends the session for every copy of the cookie, revokes its tokens and clears the cookie', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const thief = dashboard.browser();
    thief.cookies.set('__Host-session', browser.cookies.get('__Host-session') ?? '');
    expect((await thief.call('GET', '/session')).status).toBe(200);

    const response = await browser.call('DELETE', '/session');

    expect(response).toMatchObject({ status: 204, text: '', setCookies: [clearedCookie] });
    expect(await thief.call('GET', '/session')).toMatchObject(noSession);
    expect((await other.call('GET', '/session')).status).toBe(200);
    expect(dashboard.pool.provider.requests.at(-1)).toBe('/oauth2/revoke');
  });

  it('works while the provider is unavailable and the session is due for renewal', async () => {
    const browser = await signedIn();
    dashboard.clock.nowMs += 3_600_000;
    dashboard.pool.provider.behaviour.failure = 500;
    expect((await browser.call('DELETE', '/session')).status).toBe(204);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
    expect(dashboard.lines.at(-1)).toMatchObject({ event: 'token_revocation_failed' });
  });
});

describe('The sessions of a user', () => {
  it('are listed newest first, without those that have ended and those of others', async () => {
    const first = dashboard.browser();
    await first.signIn(ada);
    dashboard.clock.nowMs += 600_000;
    const second = await signedIn();
    await signedIn(dashboard.pool.addUser({ email: 'eve@example.com' }));

    const { body } = await second.call('GET', '/sessions');

    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    const user_agent = 'Example/1.0';
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id,
          current: true,
          user_agent,
          signed_in_at: '2026-11-23T08:10:00.000Z',
          last_renewed_at: '2026-11-23T08:10:00.000Z',
          expires_at: '2026-11-23T20:10:00.000Z',
        },
        {
          id,
          current: false,
          user_agent,
          signed_in_at: '2026-11-23T08:00:00.000Z',
          last_renewed_at: '2026-11-23T08:00:00.000Z',
          expires_at: '2026-11-23T20:00:00.000Z',
        },
      ],
    });
    dashboard.clock.nowMs = startMs + 12 * 3_600_000;
    expect((await second.call('GET', '/sessions')).body).toMatchObject({ data: [{ current: true }] });
  });

  const idsOf = async (browser: Awaited<ReturnType<typeof signedIn>>) => {
    const { body } = await browser.call('GET', '/sessions');
    return (body as { data: { id: string; current: boolean }[] }).data;
  };

  it('can be ended one by one', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const id = (await idsOf(browser)).find(({ current }) => !current)?.id;

    expect(await browser.call('DELETE', `/sessions/${id}`)).toMatchObject({ status: 204, setCookies: [] });

    expect(await other.call('GET', '/session')).toMatchObject(noSession);
    expect((await browser.call('GET', '/session')).status).toBe(200);
    expect(await browser.call('DELETE', `/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('include the current one, whose cookie is then cleared', async () => {
    const browser = await signedIn();
    const [current] = await idsOf(browser);
    expect(await browser.call('DELETE', `/sessions/${current?.id}`)).toMatchObject({
      status: 204,
      setCookies: [clearedCookie],
    });
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });

  it('cannot be ended by another user', async () => {
    const browser = await signedIn();
    const [current] = await idsOf(browser);
    const eve = await signedIn(dashboard.pool.addUser({ email: 'eve@example.com' }));
    expect((await eve.call('DELETE', `/sessions/${current?.id}`)).status).toBe(404);
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('are all ended at once, with one that begins meanwhile', async () => {
    const browser = await signedIn();
    let lists = 0;
    const other = dashboard.browser({
      accounts: interceptTable(dashboard.accounts, async ({ operation, send }) => {
        const output = await send();
        if (operation === 'QueryCommand') lists += 1;
        if (operation === 'QueryCommand' && lists === 1) await signedIn();
        return output;
      }),
    });
    other.cookies.set('__Host-session', browser.cookies.get('__Host-session') ?? '');

    expect((await other.call('DELETE', '/sessions')).status).toBe(204);
    expect(lists).toBe(2);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });

  it('can be ended all at once, and the provider revokes their tokens', async () => {
    const browsers = [await signedIn(), await signedIn(), await signedIn()];
    const eve = await signedIn(dashboard.pool.addUser({ email: 'eve@example.com' }));

    expect(await browsers[0]?.call('DELETE', '/sessions')).toMatchObject({
      status: 204,
      setCookies: [clearedCookie],
    });

    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
    for (const browser of browsers.slice(1))
      expect(await browser.call('GET', '/session')).toMatchObject(noSession);
    expect((await eve.call('GET', '/session')).status).toBe(200);
    expect(dashboard.pool.api.requests.map(({ operation }) => operation)).toContain('GlobalSignOut');
  });

  it('are ended although the provider is unavailable, except for the current one, which can repeat the call', async () => {
    recordLogLines();
    const [browser, other] = [await signedIn(), await signedIn()];
    dashboard.pool.api.failures.set('GlobalSignOut', 'InternalErrorException');
    expect((await browser.call('DELETE', '/sessions')).status).toBe(503);
    expect(await other.call('GET', '/session')).toMatchObject(noSession);
    dashboard.pool.api.failures.clear();
    expect((await browser.call('DELETE', '/sessions')).status).toBe(204);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });

  it('are ended although their tokens were revoked before', async () => {
    const browser = await signedIn();
    dashboard.pool.revokeAll(ada.sub);
    expect((await browser.call('DELETE', '/sessions')).status).toBe(204);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
  });
});

it('returns 503 with the error format when the table is unavailable', async () => {
  recordLogLines();
  const browser = await signedIn();
  const client = createDocumentClient(await unreachableClient());
  const handler = createSignInHandler({
    ...dashboard.dependencies,
    accounts: { client, tableName: 'Accounts' },
  });
  const event = proxyEvent({
    path: '/dashboard/api/session',
    headers: { 'x-dashboard': '1', cookie: `__Host-session=${browser.cookies.get('__Host-session')}` },
  });
  expect(await handler(event, {} as Context)).toMatchObject({
    statusCode: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '1', 'cache-control': 'no-store' },
  });
});
