import { GlobalSignOutCommand } from '@aws-sdk/client-cognito-identity-provider';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  type PoolFixture,
  password,
  signIn,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';
import type { Visitor } from './visitor.ts';

const minuteMs = 60_000;

describe('The session of managed login', () => {
  it('ends an hour after the sign-in, however often it is resumed', async () => {
    const fixture = await startPoolFixture();
    // Times in tokens are whole seconds.
    fixture.clock.now = Math.ceil(fixture.clock.now / 1000) * 1000;
    const { visitor } = await signUp(fixture);
    fixture.clock.now += 30 * minuteMs;
    const early = await authorize(fixture, visitor);
    fixture.clock.now += 30 * minuteMs - 1;
    const late = await authorize(fixture, visitor);
    fixture.clock.now += 1;
    const over = await authorize(fixture, visitor);

    expect([early, late].map(({ url }) => url.searchParams.has('code'))).toEqual([true, true]);
    expect(over.url.pathname).toBe('/local');
  });

  it('gives tokens with the time of the sign-in, as do refreshed ones', async () => {
    const fixture = await startPoolFixture();
    const signedInAt = Math.floor(fixture.clock.now / 1000);
    const { visitor, tokens } = await signUp(fixture);
    fixture.clock.now += 10 * minuteMs;
    const { url, request } = await authorize(fixture, visitor);
    const resumed = await exchangeCode(fixture, url, request);
    fixture.clock.now += 10 * minuteMs;
    const refreshed = await openid.refreshTokenGrant(fixture.relyingParty, String(resumed.refresh_token));
    const times = [tokens, resumed, refreshed].map((each) => {
      const { auth_time: authenticated = 0, iat = 0 } = each.claims() ?? {};
      return { authenticated: authenticated - signedInAt, issued: iat - signedInAt };
    });

    expect(times).toEqual([
      { authenticated: 0, issued: 0 },
      { authenticated: 0, issued: 600 },
      { authenticated: 0, issued: 1200 },
    ]);
  });

  it('is resumed for requests that name the pool itself', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const { url } = await authorize(fixture, visitor, { identity_provider: 'COGNITO' });

    expect(url.searchParams.has('code')).toBe(true);
  });

  it('is not resumed after max_age', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    fixture.clock.now += 10 * minuteMs;
    const inTime = await authorize(fixture, visitor, { max_age: '600' });
    const tooLate = await authorize(fixture, visitor, { max_age: '599' });
    const { url } = await visitor.submit('/login', { email: 'ada@example.com', password });
    const claims = (await exchangeCode(fixture, url, tooLate.request)).claims();

    expect(inTime.url.searchParams.has('code')).toBe(true);
    expect(tooLate.url.pathname).toBe('/local');
    expect(claims?.auth_time).toBe(Math.floor(fixture.clock.now / 1000));
  });

  it.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '0' }])(
    'is not resumed with %o',
    async (parameters) => {
      const fixture = await startPoolFixture();
      const { visitor } = await signUp(fixture);
      fixture.clock.now += 10 * minuteMs;
      const { url, request } = await authorize(fixture, visitor, parameters);
      const end = await visitor.submit('/login', { email: 'ada@example.com', password });
      const claims = (await exchangeCode(fixture, end.url, request)).claims();

      expect(url.pathname).toBe('/local');
      expect(claims?.auth_time).toBe(Math.floor(fixture.clock.now / 1000));
    },
  );

  it('stays when a person does not finish another sign-in, and is replaced when another person does', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    await signUp(fixture, 'grace@example.com');
    await authorize(fixture, visitor, { prompt: 'login' });
    const former = await authorize(fixture, visitor);
    const other = await authorize(fixture, visitor, { prompt: 'login' });
    const end = await visitor.submit('/login', { email: 'grace@example.com', password });
    const resumed = await authorize(fixture, visitor);
    const emails = [
      await exchangeCode(fixture, former.url, former.request),
      await exchangeCode(fixture, end.url, other.request),
      await exchangeCode(fixture, resumed.url, resumed.request),
    ].map((tokens) => tokens.claims()?.email);

    expect(emails).toEqual(['ada@example.com', 'grace@example.com', 'grace@example.com']);
  });

  it('may end during another sign-in', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    fixture.clock.now += 59 * minuteMs;
    const { request } = await authorize(fixture, visitor, { prompt: 'login' });
    fixture.clock.now += 2 * minuteMs;
    const { url } = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect((await exchangeCode(fixture, url, request)).claims()?.email).toBe('ada@example.com');
  });

  it('outlives GlobalSignOut', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    const { visitor, tokens } = await signIn(fixture);
    await fixture.client.send(new GlobalSignOutCommand({ AccessToken: tokens.access_token }));
    fixture.clock.now += minuteMs;
    const { url, request } = await authorize(fixture, visitor);

    expect((await exchangeCode(fixture, url, request)).claims()?.auth_time).toBe(tokens.claims()?.auth_time);
  });
});

async function authorize(fixture: PoolFixture, visitor: Visitor, parameters?: Record<string, string>) {
  const request = await createAuthorizationRequest(fixture, parameters);
  const { url } = await visitor.open(request.url);
  return { url, request };
}
