/**
 * Concurrent requests in every order, with functions that are stopped at any point and sign-outs at any time. The table is
 * a real one; the scheduler decides which call to the table or the provider happens next.
 */
import type { Scheduler } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountsTable } from '#lambdas/accounts/accounts-table.ts';
import { createSession } from '#lambdas/accounts/sessions/lifecycle.ts';
import { deleteSession, findSession, listSessionsOfUser } from '#lambdas/accounts/sessions/store.ts';
import { openTokens, type SessionToken } from '#lambdas/accounts/sessions/token.ts';
import type { SignInDependencies } from '#lambdas/accounts/sign-in/call.ts';
import { GrantRefusedError, type OpenIdProvider } from '#lambdas/accounts/sign-in/provider.ts';
import { renewIfDue } from '#lambdas/accounts/sign-in/renewal.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createFakePoolState } from '#test/support/accounts/fake-pool-state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';

let database: EmbeddedDynamoDB;
let accounts: AccountsTable;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { name: tableName } = await createTable(database.client, 'Accounts', { key: ['pk', 'sk'] });
  accounts = { client: database.documentClient, tableName };
});
afterAll(() => database.stop());

const signedInMs = Date.UTC(2026, 10, 23, 8);

type Outcome = 'active' | 'ended' | 'unavailable';

/** A session that is due for renewal, at a provider that is available. */
async function setUp() {
  const clock = { nowMs: signedInMs };
  const now = () => new Date(clock.nowMs);
  const pool = createFakePoolState(now);
  const user = pool.addUser({ email: 'ada@example.com' });
  const issued = pool.issueTokens({ sub: user.sub, isRevoked: false });
  const tokens = { refreshToken: issued.refresh_token, accessToken: issued.access_token };
  const identity = { id: user.sub, email: user.email, name: null, identityProvider: null };
  const session = await createSession({ accounts, now }, { identity, tokens, userAgent: undefined });
  clock.nowMs += 3_600_000;
  const refreshes: string[] = [];
  const refresh: OpenIdProvider['refresh'] = async (refreshToken) => {
    refreshes.push(refreshToken);
    const redeemed = pool.redeemRefreshToken(refreshToken);
    if (redeemed === null) throw new GrantRefusedError('invalid_grant');
    const { access_token: accessToken, refresh_token } = pool.issueTokens(redeemed.grant);
    const claims = { sub: user.sub, email: user.email, email_verified: true };
    return { tokens: { accessToken, refreshToken: refresh_token }, claims };
  };
  return { clock, now, pool, session, refreshes, refresh };
}

type Fixture = Awaited<ReturnType<typeof setUp>>;

/** The dependencies of one function, each of whose calls the scheduler delays. It stops before the call number `stopsAt`. */
function scheduledDependencies(fixture: Fixture, scheduler: Scheduler, stopsAt: number): SignInDependencies {
  const { clock, now, refresh } = fixture;
  let calls = 0;
  const schedule = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    await scheduler.schedule(Promise.resolve());
    calls += 1;
    return calls > stopsAt ? new Promise<Result>(() => {}) : call();
  };
  const unused = () => Promise.reject(new Error('Renewals do not use this'));
  return {
    settings: {
      dashboardOrigin: 'https://dashboard.example',
      signInOrigin: 'https://sign-in.example',
      clientId: 'client-1',
      signUp: 'invited',
      organizationCreators: [],
      requireMfa: false,
      identityProvider: null,
    },
    accounts: interceptTable(accounts, ({ send }) => schedule(send)),
    directory: { findOrganization: unused },
    auditTable: { client: accounts.client, tableName: 'unused', retentionDays: 400 },
    loadProvider: async () => ({
      authorize: unused,
      exchangeCode: unused,
      revoke: unused,
      refresh: (refreshToken) => schedule(() => refresh(refreshToken)),
    }),
    loadUserApi: unused,
    now,
    async wait(milliseconds) {
      await schedule(async () => {
        clock.nowMs += milliseconds;
      });
    },
    log: { info: () => {}, error: () => {} },
  };
}

async function outcomeOf(renewal: Promise<unknown>): Promise<Outcome> {
  try {
    return (await renewal) === null ? 'ended' : 'active';
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'service_unavailable') return 'unavailable';
    throw error;
  }
}

async function isUsable({ pool }: Fixture, token: SessionToken): Promise<boolean> {
  const record = await findSession(accounts, token);
  if (record === null) return false;
  return pool.redeemRefreshToken(openTokens(record.sealedTokens, token).refreshToken) !== null;
}

const numRuns = byTestForm({ short: 40, long: 1000 });

it('refreshes once, and every request gets the session, if no function is stopped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 6 }), async (scheduler, requests) => {
      const fixture = await setUp();
      // The clock stands still: the provider responds before the lease expires.
      const wait = async () => scheduler.schedule(Promise.resolve());
      const outcomes = Array.from({ length: requests }, () =>
        outcomeOf(
          renewIfDue({ ...scheduledDependencies(fixture, scheduler, Infinity), wait }, fixture.session),
        ),
      );
      await scheduler.waitFor(Promise.all(outcomes));
      expect(await Promise.all(outcomes)).toEqual(Array(requests).fill('active'));
      expect(fixture.refreshes).toHaveLength(1);
      expect(await isUsable(fixture, fixture.session.token)).toBe(true);
    }),
    { numRuns },
  );
});

it('keeps the session usable wherever functions are stopped', async () => {
  const stops = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      stops,
      fc.integer({ min: 1, max: 4 }),
      async (scheduler, stopped, requests) => {
        const fixture = await setUp();
        for (const stopsAt of stopped) {
          void outcomeOf(renewIfDue(scheduledDependencies(fixture, scheduler, stopsAt), fixture.session));
        }
        const outcomes = Array.from({ length: requests }, () =>
          outcomeOf(renewIfDue(scheduledDependencies(fixture, scheduler, Infinity), fixture.session)),
        );
        await scheduler.waitFor(Promise.all(outcomes));
        expect(await Promise.all(outcomes)).not.toContain('ended');
        // Each function that was stopped with the lease costs the others ten seconds.
        fixture.clock.nowMs += 10_000;
        const next = outcomeOf(
          renewIfDue(scheduledDependencies(fixture, scheduler, Infinity), fixture.session),
        );
        await scheduler.waitFor(next);
        expect(await next).toBe('active');
        expect(await isUsable(fixture, fixture.session.token)).toBe(true);
      },
    ),
    { numRuns },
  );
});

it('never restores a session that was signed out, wherever its renewals are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 5 }), async (scheduler, requests) => {
      const fixture = await setUp();
      const { token } = fixture.session;
      const renewals = Array.from({ length: requests }, () =>
        outcomeOf(renewIfDue(scheduledDependencies(fixture, scheduler, Infinity), fixture.session)),
      );
      const signOut = scheduler.schedule(Promise.resolve()).then(() => deleteSession(accounts, token));
      await scheduler.waitFor(Promise.all([...renewals, signOut]));
      expect(await findSession(accounts, token)).toBeNull();
      expect(await listSessionsOfUser(accounts, token.userId)).toEqual([]);
    }),
    { numRuns },
  );
});
