import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listSessionsOfUser } from '#lambdas/accounts/sessions/store.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import {
  acme,
  type DashboardFixture,
  dashboardOrigin,
  startDashboardFixture,
} from '#test/support/accounts/dashboard-fixture.ts';
import type { FakeUser } from '#test/support/accounts/fake-pool-state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';

let database: EmbeddedDynamoDB;
let dashboard: DashboardFixture;
let ada: FakeUser;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  dashboard = await startDashboardFixture(database);
  ada = dashboard.pool.addUser({ email: 'Ada@example.com', name: 'Ada' });
});
afterEach(() => dashboard.stop());

const clearedSignInCookie = '__Host-sign-in=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax';

function failurePage(code: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=/sign-in?error=${code}">
<title>Sign-in failed</title>
</head>
<body><p>The sign-in failed. <a href="/sign-in?error=${code}">Continue</a></p></body>
</html>
`;
}

describe('Starting a sign-in', () => {
  it('redirects to managed login with PKCE, state and nonce, which only the cookie connects', async () => {
    const response = await dashboard
      .browser()
      .navigate('/sign-in', { query: { return_to: ['/logs?model=a'] } });

    const [cookie] = response.setCookies;
    const [, value = ''] = /^__Host-sign-in=([\w-]+); (.*)$/.exec(String(cookie)) ?? [];
    const started = JSON.parse(Buffer.from(value, 'base64url').toString());
    const location = new URL(String(response.headers.location));
    expect(response).toMatchObject({ status: 302, text: '' });
    expect(response.headers).toEqual({ location: location.href, 'cache-control': 'no-store' });
    expect(response.setCookies).toEqual([
      `__Host-sign-in=${value}; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax`,
    ]);
    expect(location.origin + location.pathname).toBe(`${dashboard.pool.origin}/oauth2/authorize`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'client-1',
      response_type: 'code',
      redirect_uri: 'https://dashboard.example/dashboard/api/callback',
      scope: 'openid email profile aws.cognito.signin.user.admin',
      state: started.state,
      nonce: started.nonce,
      code_challenge: createHash('sha256').update(started.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: 'login',
    });
    expect(started.returnTo).toBe('/logs?model=a');
    const random = [started.state, started.nonce, started.codeVerifier];
    expect(random.map((text) => Buffer.from(text, 'base64url').length)).toEqual([32, 32, 32]);
    expect(new Set(random).size).toBe(3);
  });

  it('calls no service', async () => {
    await dashboard.browser().navigate('/sign-in');
    expect([dashboard.pool.provider.requests, dashboard.pool.api.requests]).toEqual([[], []]);
  });

  it('has the address that was invited filled in', async () => {
    const query = { login_hint: ['ada@example.com'] };
    const { headers } = await dashboard.browser().navigate('/sign-in', { query });
    expect(new URL(String(headers.location)).searchParams.get('login_hint')).toBe('ada@example.com');
  });

  it('leads to the form for a new account, and straight to the company', async () => {
    const query = { screen: ['sign_up'], idp_identifier: ['acme.test'] };
    const { headers } = await dashboard.browser().navigate('/sign-in', { query });
    const location = new URL(String(headers.location));
    expect(location.pathname).toBe('/signup');
    expect(location.searchParams.get('idp_identifier')).toBe('acme.test');
    expect(location.searchParams.get('code_challenge_method')).toBe('S256');
    expect(location.searchParams.get('prompt')).toBe('login');
  });

  it.each([
    ['screen', 'sign_in'],
    ['screen', ''],
    ['idp_identifier', 'example.com'],
    ['idp_identifier', ''],
    ['idp_identifier', 'Acme'],
    ['login_hint', ''],
    ['login_hint', 'ada'],
    ['login_hint', `${'a'.repeat(250)}@example.com`],
  ])('returns 400 for %s=%s', async (param, value) => {
    const response = await dashboard.browser().navigate('/sign-in', { query: { [param]: [value] } });
    expect(response).toMatchObject({ status: 400, body: { error: { param } }, setCookies: [] });
  });
});

describe('Finishing a sign-in', () => {
  it('creates a session, sets its cookie and returns to the page where the user began', async () => {
    const browser = dashboard.browser();
    const response = await browser.signIn(ada, { return_to: ['/keys?page=2#new'] });

    const value = browser.cookies.get('__Host-session') ?? '';
    expect(response).toMatchObject({ status: 302, text: '' });
    expect(response.headers).toEqual({ location: '/keys?page=2#new', 'cache-control': 'no-store' });
    expect(response.setCookies).toEqual([
      `__Host-session=${value}; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict`,
      clearedSignInCookie,
    ]);
    expect(await browser.call('GET', '/session')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: {
        user: { id: ada.sub, email: 'Ada@example.com', name: 'Ada', identity_provider: null },
        signed_in_at: '2026-11-23T08:00:00.000Z',
        time_zone: null,
        expires_at: '2026-11-23T20:00:00.000Z',
      },
    });
    expect(dashboard.pool.provider.requests).toEqual([
      '/oauth2/token authorization_code',
      '/.well-known/jwks.json',
    ]);
    expect(dashboard.lines).toEqual([
      { level: 'INFO', event: 'signed_in', user_id: ada.sub, identity_provider: null },
    ]);
  });

  it('signs in an unverified address of the company that comes through it', async () => {
    const grace = dashboard.pool.addUser({
      email: 'grace@acme.test',
      isEmailVerified: false,
      providerName: 'Acme',
    });
    const browser = dashboard.browser();
    await browser.signIn(grace, { idp_identifier: ['acme.test'] });
    expect((await browser.call('GET', '/session')).body).toMatchObject({
      user: { email: 'grace@acme.test', name: null, identity_provider: 'Acme' },
    });
  });

  it('returns to the first page if the sign-in began with the address of another site', async () => {
    const response = await dashboard.browser().signIn(ada, { return_to: ['//evil.example'] });
    expect(response.headers.location).toBe('/');
  });

  it('returns to the first page if the browser was given another address in the cookie', async () => {
    const browser = dashboard.browser();
    const { headers } = await browser.navigate('/sign-in');
    const cookie = JSON.parse(
      Buffer.from(browser.cookies.get('__Host-sign-in') ?? '', 'base64url').toString(),
    );
    const forged = JSON.stringify({ ...cookie, returnTo: '//evil.example' });
    browser.cookies.set('__Host-sign-in', Buffer.from(forged).toString('base64url'));
    const query = dashboard.pool.provider.authorize(String(headers.location), ada);
    expect((await browser.navigate('/callback', { query })).headers.location).toBe('/');
  });

  it('reads the rotated secret of the client again, and keeps the secret otherwise', async () => {
    const { provider, api } = dashboard.pool;
    await dashboard.browser().signIn(ada);
    await dashboard.browser().signIn(ada);
    provider.behaviour.clientSecret = 'secret-2';
    expect((await dashboard.browser().signIn(ada)).status).toBe(302);
    expect(api.requests).toEqual(
      Array(2).fill({
        operation: 'DescribeUserPoolClient',
        input: { UserPoolId: 'pool-1', ClientId: 'client-1' },
      }),
    );
  });

  it('reads the secret again after a failure', async () => {
    dashboard.pool.api.failures.set('DescribeUserPoolClient', 'ResourceNotFoundException');
    expect((await dashboard.browser().signIn(ada)).text).toBe(failurePage('unavailable'));
    dashboard.pool.api.failures.clear();
    expect((await dashboard.browser().signIn(ada)).status).toBe(302);
  });
});

describe('Failures of a sign-in', () => {
  /** Signs in with a deviation, and checks that there is no session. */
  async function failedSignIn(prepare: () => FakeUser) {
    const browser = dashboard.browser();
    const response = await browser.signIn(prepare());
    expect(browser.cookies.has('__Host-session')).toBe(false);
    expect(response.headers).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(response.setCookies).toEqual([clearedSignInCookie]);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toEqual([]);
    return { status: response.status, text: response.text };
  }

  const tamper = (token: string) => {
    const [header, , signature] = token.split('.');
    const claims = { sub: 'admin', email: 'ada@example.com', email_verified: true };
    return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  };
  const unsigned = (token: string) => {
    const [, claims] = token.split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
  };

  it.each([
    [
      'another nonce',
      { claims: (claims: object) => ({ ...claims, nonce: 'other' }) },
      'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    ],
    ['no nonce', { claims: (claims: object) => ({ ...claims, nonce: undefined }) }, 'OAUTH_INVALID_RESPONSE'],
    [
      'another audience',
      { claims: (claims: object) => ({ ...claims, aud: 'other' }) },
      'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    ],
    [
      'another issuer',
      { claims: (claims: object) => ({ ...claims, iss: 'https://evil.example' }) },
      'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    ],
    ['the signature of another key', { signsWithUnknownKey: true }, 'OAUTH_INVALID_RESPONSE'],
    ['other claims than were signed', { idToken: tamper }, 'OAUTH_INVALID_RESPONSE'],
    ['no signature', { idToken: unsigned }, 'OAUTH_INVALID_RESPONSE'],
  ])('refuses an ID token with %s', async (_case, behaviour, code) => {
    Object.assign(dashboard.pool.provider.behaviour, behaviour);
    expect(await failedSignIn(() => ada)).toEqual({ status: 400, text: failurePage('denied') });
    expect(dashboard.lines).toEqual([{ level: 'INFO', event: 'sign_in_refused', code }]);
  });

  it.each<[string, (claims: Record<string, unknown>) => object]>([
    ['that has expired', (claims) => ({ ...claims, exp: 1 })],
    // From a session that managed login has kept: its user may have signed out everywhere since.
    ['of an earlier authentication', (claims) => ({ ...claims, auth_time: Number(claims.iat) - 700 })],
  ])('asks to sign in again for an ID token %s', async (_case, claims) => {
    Object.assign(dashboard.pool.provider.behaviour, { claims });
    expect(await failedSignIn(() => ada)).toEqual({ status: 400, text: failurePage('expired') });
    const code = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
    expect(dashboard.lines).toEqual([{ level: 'INFO', event: 'sign_in_refused', code }]);
  });

  it("says that the company's sign-in is only for its domains when the pool refuses the user", async () => {
    const browser = dashboard.browser();
    const { headers } = await browser.navigate('/sign-in', { query: { idp_identifier: ['acme.test'] } });
    const state = new URL(String(headers.location)).searchParams.get('state') ?? '';
    const query = { state: [state], error: ['invalid_request'], error_description: ['PreSignUp failed'] };
    const response = await browser.navigate('/callback', { query });
    expect(response).toMatchObject({ status: 400, text: failurePage('company_domain_required') });
  });

  it.each<[string, Partial<FakeUser> & { email: string }]>([
    ['email_not_verified', { email: 'eve@example.com', isEmailVerified: false }],
    ['company_sign_in_required', { email: 'eve@Acme.example' }],
    ['company_domain_required', { email: 'eve@example.com', providerName: 'Acme' }],
  ])('refuses an identity with %s, and revokes its tokens', async (code, user) => {
    const failed = await failedSignIn(() => dashboard.pool.addUser(user));
    expect(failed).toEqual({ status: 400, text: failurePage(code) });
    expect(dashboard.lines).toEqual([{ level: 'INFO', event: 'sign_in_refused', code }]);
    expect(dashboard.pool.provider.requests.at(-1)).toBe('/oauth2/revoke');
  });

  it.each([500, 'no response'] as const)(
    'returns 503 when the token endpoint fails with %s',
    async (failure) => {
      dashboard.pool.provider.behaviour.failure = failure;
      expect(await failedSignIn(() => ada)).toEqual({ status: 503, text: failurePage('unavailable') });
      expect(dashboard.lines).toMatchObject([{ level: 'ERROR', event: 'sign_in_failed' }]);
    },
  );

  it('returns 503 when the session cannot be stored, and revokes its tokens', async () => {
    const client = createDocumentClient(await unreachableClient());
    const accounts = interceptTable(dashboard.accounts, ({ operation, input, send }) => {
      const isSession = operation === 'PutCommand' && String(input.Item?.sk).startsWith('session#');
      return send(isSession ? client : undefined);
    });
    const response = await dashboard.browser({ accounts }).signIn(ada);
    expect(response).toMatchObject({ status: 503, text: failurePage('unavailable') });
    expect(dashboard.pool.provider.requests.at(-1)).toBe('/oauth2/revoke');
  });
});

describe('The callback', () => {
  async function started() {
    const browser = dashboard.browser();
    const { headers } = await browser.navigate('/sign-in');
    return { browser, query: dashboard.pool.provider.authorize(String(headers.location), ada) };
  }

  it.each<[string, (query: Record<string, string[]>) => Record<string, string[]>]>([
    ['another state', (query) => ({ ...query, state: ['other'] })],
    ['no state', ({ code = [] }) => ({ code })],
    ['the state twice', ({ code = [], state = [] }) => ({ code, state: [...state, ...state] })],
  ])('returns 400 for %s, and lets the browser finish its own sign-in', async (_case, change) => {
    const { browser, query } = await started();
    const response = await browser.navigate('/callback', { query: change(query) });
    expect(response).toMatchObject({ status: 400, text: failurePage('expired'), setCookies: [] });
    expect((await browser.navigate('/callback', { query })).status).toBe(302);
  });

  it.each(['', 'x', 'e30', Buffer.from('null').toString('base64url')])(
    'returns 400 when the cookie is %j',
    async (cookie) => {
      const { browser, query } = await started();
      browser.cookies.set('__Host-sign-in', cookie);
      const response = await browser.navigate('/callback', { query });
      expect(response).toMatchObject({ status: 400, text: failurePage('expired') });
      expect(dashboard.pool.provider.requests).toEqual([]);
    },
  );

  it('returns 400 in a browser that has not begun the sign-in', async () => {
    const { query } = await started();
    const victim = dashboard.browser();
    const response = await victim.navigate('/callback', { query });
    expect(response).toMatchObject({ status: 400, text: failurePage('expired') });
    expect(dashboard.pool.provider.requests).toEqual([]);
  });

  it('returns 400 for a code that another browser has obtained', async () => {
    const [attacker, victim] = [await started(), await started()];
    const query = { code: attacker.query.code ?? [], state: victim.query.state ?? [] };
    const response = await victim.browser.navigate('/callback', { query });
    expect(response).toMatchObject({ status: 400, text: failurePage('expired') });
  });

  it('accepts a code once', async () => {
    const { browser, query } = await started();
    const cookies = new Map(browser.cookies);
    await browser.navigate('/callback', { query });
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const response = await browser.navigate('/callback', { query });
    expect(response).toMatchObject({ status: 400, text: failurePage('expired') });
  });

  it.each([
    ['access_denied', 400, 'denied'],
    ['invalid_request', 400, 'denied'],
    ['eve@example.com', 400, 'denied'],
    ['server_error', 503, 'unavailable'],
    ['temporarily_unavailable', 503, 'unavailable'],
  ])('reports the error %s of the provider', async (error, status, code) => {
    const { browser, query } = await started();
    const description = 'PreSignUp failed with error <script>.';
    const response = await browser.navigate('/callback', {
      query: { state: query.state ?? [], error: [error], error_description: [description] },
    });
    expect(response).toMatchObject({ status, text: failurePage(code) });
    expect(JSON.stringify(dashboard.lines)).not.toMatch(/script|eve@/);
  });

  it('ignores a session that the browser has already', async () => {
    const browser = dashboard.browser();
    await browser.signIn(ada);
    const first = browser.cookies.get('__Host-session');
    await browser.signIn(ada);
    expect(browser.cookies.get('__Host-session')).not.toBe(first);
    expect(await listSessionsOfUser(dashboard.accounts, ada.sub)).toHaveLength(2);
  });
});

it('signs out at the provider, and returns to the dashboard', async () => {
  const response = await dashboard.browser().navigate('/sign-out');
  expect(response).toMatchObject({ status: 302, setCookies: [] });
  expect(response.headers).toEqual({
    location: `${dashboard.pool.origin}/logout?client_id=client-1&logout_uri=https%3A%2F%2Fdashboard.example%2F`,
    'cache-control': 'no-store',
  });
});

describe('Sign-in options', () => {
  const call = async (settings: Parameters<typeof startDashboardFixture>[1]) => {
    const { dependencies } = dashboard;
    const browser = dashboard.browser({ settings: { ...dependencies.settings, ...settings } });
    return (await browser.call('GET', '/sign-in-options')).body;
  };

  it('are public', async () => {
    expect(await call({})).toEqual({
      sign_up: 'invited',
      identity_provider: { name: 'Acme', idp_identifier: 'acme.example', domains: acme.domains },
    });
    expect(await call({ signUp: 'open', identityProvider: null })).toEqual({
      sign_up: 'open',
      identity_provider: null,
    });
  });
});

it('logs neither codes, tokens, cookies nor addresses', async () => {
  const browser = dashboard.browser();
  await browser.signIn(ada);
  await browser.call('GET', '/session', { headers: { origin: dashboardOrigin } });
  await browser.call('DELETE', '/session');
  await dashboard.browser().signIn(dashboard.pool.addUser({ email: 'eve@acme.test' }));
  expect(dashboard.lines).toHaveLength(2);
  expect(JSON.stringify(dashboard.lines)).not.toMatch(/@|access-|refresh-|__Host|\./);
});
