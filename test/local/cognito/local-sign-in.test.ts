import { AdminDisableUserCommand } from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  type PoolFixture,
  password,
  signUp,
  startPoolFixture,
  userPoolId,
} from './pool-fixture.ts';
import { createVisitor, type Visit } from './visitor.ts';

async function submitAddress(fixture: PoolFixture, email: string): Promise<Visit> {
  const visitor = createVisitor();
  await visitor.open((await createAuthorizationRequest(fixture)).url);
  return visitor.submit('/local', { email });
}

describe('The local sign-in', () => {
  it('takes one page with an address, and creates the account the first time', async () => {
    const fixture = await startPoolFixture();
    const signInOnce = async () => {
      const visitor = createVisitor();
      const request = await createAuthorizationRequest(fixture);
      const page = await visitor.open(request.url);
      const end = await visitor.submit('/local', { email: 'ada.lovelace+test@example.com' });
      return { page, claims: (await exchangeCode(fixture, end.url, request)).claims() };
    };
    const first = await signInOnce();
    const second = await signInOnce();

    expect(first.page.url.pathname).toBe('/local');
    expect(first.page.text.match(/<input /g)).toHaveLength(1);
    expect(first.claims).toMatchObject({
      email: 'ada.lovelace+test@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
    });
    expect(second.claims?.sub).toBe(first.claims?.sub);
    expect(fixture.signUps).toEqual([
      { id: first.claims?.sub, email: 'ada.lovelace+test@example.com', name: 'Ada Lovelace' },
    ]);
    expect(fixture.events.map(({ triggerSource }) => triggerSource)).toEqual([
      'PreSignUp_SignUp',
      'PreAuthentication_Authentication',
    ]);
    expect(fixture.pool.mailbox.messages()).toEqual([]);
  });

  it('has the address of the request filled in', async () => {
    const fixture = await startPoolFixture();
    const request = await createAuthorizationRequest(fixture, { login_hint: 'grace@example.com' });
    const page = await createVisitor().open(request.url);

    expect(page.text).toContain('value="grace@example.com"');
  });

  it('leads to the page that Cognito would have shown', async () => {
    const fixture = await startPoolFixture();
    const { url } = await createAuthorizationRequest(fixture);
    const signIn = await createVisitor().open(url);
    const signUpPage = await createVisitor().open(url.href.replace('/oauth2/authorize', '/signup'));

    expect(signIn.text).toContain('<a href="/login">Other ways to sign in</a>');
    expect(signUpPage.text).toContain('<a href="/signup">Other ways to sign in</a>');
  });

  it('signs in to an account with a password, and confirms one whose code was never entered', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture, 'ada@example.com');
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    await visitor.submit('/signup', { email: 'grace@example.com', password });
    const ada = await submitAddress(fixture, 'ADA@example.com');
    const grace = await submitAddress(fixture, 'grace@example.com');

    expect(ada.url.searchParams.has('code')).toBe(true);
    expect(grace.url.searchParams.has('code')).toBe(true);
    expect(latestCode(fixture)).toMatch(/^\d{6}$/);
    expect(fixture.signUps).toMatchObject([{ email: 'ada@example.com' }, { email: 'grace@example.com' }]);
  });

  it.each([
    ['PreSignUp_SignUp', 'eve@example.com', 'PreSignUp failed with error By invitation.'],
    [
      'PreAuthentication_Authentication',
      'ada@example.com',
      'PreAuthentication failed with error By invitation.',
    ],
  ])('shows why %s refuses', async (refusing, email, alert) => {
    const fixture = await startPoolFixture({
      trigger: ({ triggerSource }) => {
        if (triggerSource === refusing) throw new Error('By invitation');
      },
    });
    if (email === 'ada@example.com') await signUp(fixture, email);
    const refused = await submitAddress(fixture, email);

    expect(refused).toMatchObject({ status: 400, alert });
    expect(refused.text).toContain(`value="${email}"`);
  });

  it('refuses disabled users, addresses that are none, and sign-ups where the pool permits none', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture, 'ada@example.com');
    await fixture.client.send(
      new AdminDisableUserCommand({ UserPoolId: userPoolId, Username: 'ada@example.com' }),
    );
    const closed = await startPoolFixture({
      pool: { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } },
    });

    expect((await submitAddress(fixture, 'ada@example.com')).alert).toBe('User is disabled.');
    expect((await submitAddress(fixture, 'ada')).alert).toBe('Invalid email address format.');
    expect((await submitAddress(closed, 'eve@example.com')).alert).toBe(
      'SignUp is not permitted for this user pool',
    );
  });
});
