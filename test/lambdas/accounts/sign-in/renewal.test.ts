import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquireRenewalLease,
  listSessionsOfUser,
  releaseRenewalLease,
} from '#lambdas/accounts/sessions/store.ts';
import { openTokens, parseSessionToken } from '#lambdas/accounts/sessions/token.ts';
import { leaseMs } from '#lambdas/accounts/sign-in/renewal.ts';
import {
  type DashboardFixture,
  startDashboardFixture,
  startMs,
} from '#test/support/accounts/dashboard-fixture.ts';
import type { FakeUser } from '#test/support/accounts/fake-pool-state.ts';
import type { PageClient } from '#test/support/accounts/page-client.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable, isUpdateOf } from '#test/support/dynamodb/intercepted-table.ts';
import { eventually } from '#test/support/eventually.ts';

const hourMs = 3_600_000;

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
  browser = dashboard.browser();
  await browser.signIn(ada);
  dashboard.clock.nowMs = startMs + hourMs;
});
afterEach(() => dashboard.stop());

const refreshes = () =>
  dashboard.pool.provider.requests.filter((request) => request.endsWith('refresh_token')).length;
const records = () => listSessionsOfUser(dashboard.accounts, ada.sub);

async function storedTokens() {
  const [record] = await records();
  const token = parseSessionToken(browser.cookies.get('__Host-session') ?? '');
  if (record === undefined || token === null) throw new Error('There is no session');
  return openTokens(record.sealedTokens, token);
}

/** A browser whose requests wait with the clock: each wait takes as long as it should. */
function waitingBrowser() {
  const waits: number[] = [];
  const waiting = dashboard.browser({
    async wait(milliseconds) {
      waits.push(milliseconds);
      dashboard.clock.nowMs += milliseconds;
    },
  });
  copyCookies(waiting);
  return { waiting, waits };
}

function copyCookies(other: PageClient) {
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
}

/** Holds the token endpoint. `requested` resolves when a refresh has arrived there. */
function holdRefresh(moment: 'beforeGrant' | 'beforeResponse') {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  dashboard.pool.provider.behaviour[moment] = () => {
    requested.resolve();
    return released.promise;
  };
  return { requested: requested.promise, release: () => released.resolve() };
}

describe('A renewal', () => {
  it('takes place at the first request an hour after the last one', async () => {
    dashboard.clock.nowMs = startMs + hourMs - 1;
    await browser.call('GET', '/session');
    expect(refreshes()).toBe(0);
    dashboard.clock.nowMs += 1;
    await browser.call('GET', '/session');
    dashboard.clock.nowMs += hourMs - 1;
    await browser.call('GET', '/session');
    expect(refreshes()).toBe(1);
    dashboard.clock.nowMs += 1;
    await browser.call('GET', '/session');
    expect(refreshes()).toBe(2);
  });

  it('stores the new tokens, the time and the identity, and keeps the end of the session', async () => {
    const [before] = await records();
    const oldTokens = await storedTokens();
    Object.assign(ada, { name: 'Ada L.', email: 'ADA@example.org' });

    const { body } = await browser.call('GET', '/session');

    expect(body).toMatchObject({ user: { name: 'Ada L.', email: 'ADA@example.org' } });
    const [after] = await records();
    expect(after).toEqual({
      ...before,
      identity: { id: ada.sub, email: 'ADA@example.org', name: 'Ada L.', identityProvider: null },
      lastRenewedAt: '2026-11-23T09:00:00.000Z',
      leaseUntilMs: 0,
      sealedTokens: after?.sealedTokens,
    });
    const tokens = await storedTokens();
    expect(tokens.refreshToken).not.toBe(oldTokens.refreshToken);
    expect(tokens.accessToken).not.toBe(oldTokens.accessToken);
    expect(dashboard.pool.userOfAccessToken(tokens.accessToken)).toBe(ada);
  });

  it('is made once for 20 concurrent requests, which all wait for it', async () => {
    const { requested, release } = holdRefresh('beforeGrant');
    const waited = new Set<number>();
    const responses = Array.from({ length: 20 }, (_, index) => {
      const concurrent = dashboard.browser({
        async wait() {
          waited.add(index);
          await new Promise((resolve) => setImmediate(resolve));
        },
      });
      copyCookies(concurrent);
      return concurrent.call('GET', '/session');
    });
    await requested;
    await eventually(() => expect(waited.size).toBe(19));
    release();

    const statuses = (await Promise.all(responses)).map(({ status }) => status);

    expect(statuses).toEqual(Array(20).fill(200));
    expect(refreshes()).toBe(1);
  });
});

describe('A user who may not sign in any more', () => {
  it.each<[string, () => void, string]>([
    ['was disabled', () => Object.assign(ada, { isEnabled: false }), 'invalid_grant'],
    ['was deleted', () => dashboard.pool.users.delete(ada.sub), 'invalid_grant'],
    ['signed out everywhere', () => dashboard.pool.revokeAll(ada.sub), 'invalid_grant'],
    ['has an unverified address', () => Object.assign(ada, { isEmailVerified: false }), 'email_not_verified'],
    [
      'has an address of the company',
      () => Object.assign(ada, { email: 'ada@acme.test' }),
      'company_sign_in_required',
    ],
    [
      'is now a user of the company with another address',
      () => Object.assign(ada, { providerName: 'Acme' }),
      'company_domain_required',
    ],
  ])('is signed out at the next renewal: one who %s', async (_case, change, code) => {
    change();
    expect(await browser.call('GET', '/session')).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_session' } },
    });
    expect(await records()).toEqual([]);
    expect(dashboard.lines.at(-1)).toEqual({ level: 'INFO', event: 'session_renewal_refused', code });
  });

  it('is signed out if the new ID token is for somebody else, or wrongly signed', async () => {
    const { behaviour } = dashboard.pool.provider;
    behaviour.claims = (claims) => ({ ...claims, sub: 'other' });
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect(dashboard.lines.at(-1)).toMatchObject({ code: 'other_user' });

    delete behaviour.claims;
    await browser.signIn(ada);
    dashboard.clock.nowMs += hourMs;
    behaviour.signsWithUnknownKey = true;
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect(await records()).toEqual([]);
  });

  it('is signed out if the record was changed', async () => {
    const [record] = await records();
    const sealed = Buffer.from(record?.sealedTokens ?? []);
    sealed.writeUInt8(sealed.readUInt8(40) ^ 1, 40);
    await database.documentClient.send(
      new UpdateCommand({
        TableName: dashboard.accounts.tableName,
        Key: { pk: `user#${ada.sub}`, sk: `session#${record?.hash}` },
        UpdateExpression: 'SET sealed_tokens = :sealed',
        ExpressionAttributeValues: { ':sealed': sealed },
      }),
    );
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect([await records(), refreshes()]).toEqual([[], 0]);
  });
});

describe('An unavailable provider', () => {
  it.each([500, 'no response'] as const)('returns 503 for %s and keeps the session', async (failure) => {
    dashboard.pool.provider.behaviour.failure = failure;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await browser.call('GET', '/session')).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: { code: 'service_unavailable', type: 'api_error' } },
      });
    }
    expect(dashboard.lines.at(-1)).toMatchObject({ level: 'ERROR', event: 'session_renewal_failed' });
    delete dashboard.pool.provider.behaviour.failure;
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('returns 503 when the secret of the client cannot be read', async () => {
    const { provider, api } = dashboard.pool;
    provider.behaviour.clientSecret = 'secret-2';
    api.failures.set('DescribeUserPoolClient', 'InternalErrorException');
    expect((await browser.call('GET', '/session')).status).toBe(503);
    api.failures.clear();
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });
});

describe('A renewal that was stopped', () => {
  /** A function that is stopped as it stores the new tokens. */
  const stopAtStoring = () => {
    const stopped = dashboard.browser({
      accounts: interceptTable(dashboard.accounts, (call) =>
        isUpdateOf(call, 'sealed_tokens') ? new Promise(() => {}) : call.send(),
      ),
    });
    copyCookies(stopped);
    void stopped.call('GET', '/session');
  };

  it('is taken over when its lease has expired, although the provider has rotated the token', async () => {
    stopAtStoring();
    await eventually(() => expect(dashboard.pool.provider.requests.at(-1)).toMatch(/refresh_token$/));
    const { waiting, waits } = waitingBrowser();
    expect((await waiting.call('GET', '/session')).status).toBe(200);
    expect(waits).toEqual(Array(100).fill(100));
    expect(dashboard.clock.nowMs).toBe(startMs + hourMs + leaseMs);
    expect(refreshes()).toBe(2);
    dashboard.clock.nowMs += hourMs;
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('ends the session if nobody takes over within the grace period of the provider', async () => {
    stopAtStoring();
    await eventually(() => expect(refreshes()).toBe(1));
    await eventually(async () =>
      expect(await records()).toMatchObject([{ leaseUntilMs: startMs + hourMs + leaseMs }]),
    );
    dashboard.clock.nowMs += 60_000;
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect(await records()).toEqual([]);
  });

  it('returns 503 to a request that has waited for 12 seconds', async () => {
    const [record] = await records();
    if (record === undefined) throw new Error('There is no session');
    const renewLease = () => {
      const nowMs = dashboard.clock.nowMs;
      return acquireRenewalLease(dashboard.accounts, record, { nowMs, untilMs: nowMs + leaseMs });
    };
    await renewLease();
    const waiting = dashboard.browser({
      async wait(milliseconds) {
        dashboard.clock.nowMs += milliseconds;
        await renewLease();
      },
    });
    copyCookies(waiting);
    expect((await waiting.call('GET', '/session')).status).toBe(503);
    expect(dashboard.clock.nowMs).toBe(startMs + hourMs + 12_000);
    expect(refreshes()).toBe(0);
  });

  it('does not replace the result of the request that has taken over', async () => {
    const { requested, release } = holdRefresh('beforeResponse');
    const slow = browser.call('GET', '/session');
    await requested;
    delete dashboard.pool.provider.behaviour.beforeResponse;
    const { waiting } = waitingBrowser();
    expect((await waiting.call('GET', '/session')).status).toBe(200);
    const tokens = await storedTokens();
    release();
    expect((await slow).status).toBe(200);
    expect(await storedTokens()).toEqual(tokens);
  });
});

describe('A slow renewal, after which another request has taken over', () => {
  it('does not end the session when the provider refuses the old refresh token', async () => {
    const { requested, release } = holdRefresh('beforeGrant');
    const slow = browser.call('GET', '/session');
    await requested;
    delete dashboard.pool.provider.behaviour.beforeGrant;
    const { waiting } = waitingBrowser();
    expect((await waiting.call('GET', '/session')).status).toBe(200);
    dashboard.clock.nowMs += 60_000;
    release();
    expect((await slow).status).toBe(200);
    expect(dashboard.lines.at(-1)).toMatchObject({ event: 'session_renewal_refused', code: 'invalid_grant' });
    expect((await browser.call('GET', '/session')).status).toBe(200);
  });

  it('does not release the lease of the other request', async () => {
    const { accounts } = dashboard;
    const [record] = await records();
    if (record === undefined) throw new Error('There is no session');
    const [first, second] = [leaseMs, 2 * leaseMs];
    expect(await acquireRenewalLease(accounts, record, { nowMs: 0, untilMs: first })).toBe(true);
    expect(await acquireRenewalLease(accounts, record, { nowMs: first - 1, untilMs: second })).toBe(false);
    expect(await acquireRenewalLease(accounts, record, { nowMs: first, untilMs: second })).toBe(true);
    expect(await releaseRenewalLease(accounts, record, first)).toBe(false);
    expect(await records()).toMatchObject([{ leaseUntilMs: second }]);
    expect(await releaseRenewalLease(accounts, record, second)).toBe(true);
  });
});

describe('A session that ends during its renewal', () => {
  it('is over after twelve hours also for a request that waits', async () => {
    dashboard.clock.nowMs = startMs + 12 * hourMs - 5000;
    const [record] = await records();
    if (record === undefined) throw new Error('There is no session');
    const nowMs = dashboard.clock.nowMs;
    await acquireRenewalLease(dashboard.accounts, record, { nowMs, untilMs: nowMs + leaseMs });
    const { waiting, waits } = waitingBrowser();
    expect((await waiting.call('GET', '/session')).status).toBe(401);
    expect(waits).toHaveLength(50);
  });

  it.each([
    ['sign-out', '/session', 'beforeGrant'],
    ['sign-out', '/session', 'beforeResponse'],
    ['sign-out everywhere', '/sessions', 'beforeGrant'],
    ['sign-out everywhere', '/sessions', 'beforeResponse'],
  ] as const)('does not come back after a %s (%s, %s)', async (_case, path, moment) => {
    // Another session signs out everywhere. It does not need a renewal.
    const other = dashboard.browser();
    await other.signIn(ada);
    const { requested, release } = holdRefresh(moment);
    const renewing = browser.call('GET', '/session');
    await requested;
    const leaving = path === '/session' ? dashboard.browser() : other;
    if (path === '/session') copyCookies(leaving);

    expect((await leaving.call('DELETE', path)).status).toBe(204);
    release();

    expect((await renewing).status).toBe(401);
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect((await records()).length).toBe(path === '/session' ? 1 : 0);
  });

  it('is over for the requests that wait for the renewal', async () => {
    const { requested, release } = holdRefresh('beforeGrant');
    const renewing = browser.call('GET', '/session');
    await requested;
    const leaving = dashboard.browser();
    copyCookies(leaving);
    const waits = Promise.withResolvers<void>();
    const waiting = dashboard.browser({
      async wait() {
        waits.resolve();
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    copyCookies(waiting);
    const waitingCall = waiting.call('GET', '/session');
    await waits.promise;
    await leaving.call('DELETE', '/session');
    expect((await waitingCall).status).toBe(401);
    release();
    expect((await renewing).status).toBe(401);
  });
});
