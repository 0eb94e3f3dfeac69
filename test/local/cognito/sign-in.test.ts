import { AdminDisableUserCommand } from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  password,
  signIn,
  signUp,
  startPoolFixture,
  userPoolId,
} from './pool-fixture.ts';
import { clientId, dashboard, triggerArns } from './user-pool-template.ts';
import { createVisitor } from './visitor.ts';

describe('Sign-in', () => {
  it('accepts the address in any case, after the trigger has accepted the user', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture, 'Ada@example.com');
    const again = await signIn(fixture, 'ada@EXAMPLE.com');

    expect(again.tokens.claims()?.sub).toBe(tokens.claims()?.sub);
    expect(fixture.events.at(-1)).toMatchObject({
      functionArn: triggerArns.PreAuthentication,
      triggerSource: 'PreAuthentication_Authentication',
      userName: tokens.claims()?.sub,
      request: {
        userAttributes: {
          sub: tokens.claims()?.sub,
          email: 'Ada@example.com',
          'cognito:user_status': 'CONFIRMED',
        },
      },
    });
  });

  it('refuses a wrong password and an unknown address in the same words', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    const visitor = createVisitor();
    const page = await visitor.open((await createAuthorizationRequest(fixture)).url);
    const wrong = await visitor.submit('/login', { email: 'ada@example.com', password: `${password}!` });
    const unknown = await visitor.submit('/login', { email: 'eve@example.com', password });

    expect(page.text).toContain('This is the local stand-in for Amazon Cognito.');
    expect([wrong.alert, unknown.alert]).toEqual(Array(2).fill('Incorrect username or password.'));
  });

  it('shows why the trigger refuses', async () => {
    const fixture = await startPoolFixture({
      trigger: ({ triggerSource }) => {
        if (triggerSource === 'PreAuthentication_Authentication') throw new Error('Sign in with Acme');
      },
    });
    await signUp(fixture);
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const refused = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect(refused.alert).toBe('PreAuthentication failed with error Sign in with Acme.');
  });

  it('refuses a disabled user', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    await fixture.client.send(
      new AdminDisableUserCommand({ UserPoolId: userPoolId, Username: 'ada@example.com' }),
    );
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const refused = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect(refused.alert).toBe('User is disabled.');
  });

  it('is not needed again until the person signs out', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const request = await createAuthorizationRequest(fixture);
    const silent = await visitor.open(request.url);
    const tokens = await exchangeCode(fixture, silent.url, request);
    const logout = new URLSearchParams({ client_id: clientId, logout_uri: dashboard.home });
    const signedOut = await visitor.open(`${fixture.origin}/logout?${logout}`);
    const afterwards = await visitor.open(request.url);

    expect(tokens.claims()?.email).toBe('ada@example.com');
    expect(signedOut.url.href).toBe(dashboard.home);
    expect(afterwards.url.pathname).toBe('/local');
  });

  it('shows its page on /login and /signup even to a person who is signed in', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const { url } = await createAuthorizationRequest(fixture);
    const page = await visitor.open(url.href.replace('/oauth2/authorize', '/login'));

    expect(page.url.pathname).toBe('/local');
    expect(page.text).toContain('<h1>Sign in</h1>');
  });

  it('lets a person with the mailed code choose a new password', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url);
    await visitor.submit('/forgotPassword', { email: 'ada@example.com' });
    const code = latestCode(fixture);
    const weak = await visitor.submit('/confirmForgotPassword', { code, password: 'weak' });
    const changed = await visitor.submit('/confirmForgotPassword', { code, password: 'another-Horse-8' });
    const former = await visitor.submit('/login', { email: 'ada@example.com', password });
    const end = await visitor.submit('/login', { email: 'ada@example.com', password: 'another-Horse-8' });

    expect(weak.alert).toBe('Password did not conform with policy: Password not long enough');
    expect(changed.text).toContain('Your password has been changed.');
    expect(former.alert).toBe('Incorrect username or password.');
    expect(end.url.searchParams.has('code')).toBe(true);
  });

  it('mails nothing to an address without an account, and does not tell', async () => {
    const fixture = await startPoolFixture();
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const page = await visitor.submit('/forgotPassword', { email: 'eve@example.com' });

    expect(page.url.pathname).toBe('/confirmForgotPassword');
    expect(fixture.pool.mailbox.messages()).toEqual([]);
  });

  it('refuses forms that another site submits', async () => {
    const fixture = await startPoolFixture();
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const submit = (origin: Record<string, string>) =>
      fetch(`${fixture.origin}/login`, { method: 'POST', headers: { cookie, ...origin } });

    const responses = await Promise.all([submit({ origin: 'http://127.0.0.1:3002' }), submit({})]);
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(
      Array(2).fill(expect.stringContaining('The request comes from another site.')),
    );
  });

  it('explains that a sign-in without a cookie is over', async () => {
    const { origin } = await startPoolFixture();
    const page = await createVisitor().open(`${origin}/login`);

    expect(page.status).toBe(400);
    expect(page.alert).toBe('This sign-in is over, or has expired. Go back to the app and sign in again.');
  });
});

describe('The settings of the client', () => {
  it('refuse another redirect URI, without a redirect', async () => {
    const fixture = await startPoolFixture();
    const { url } = await createAuthorizationRequest(fixture, {
      redirect_uri: `${dashboard.callback}/other`,
    });
    const page = await createVisitor().open(url);

    expect(page.status).toBe(400);
    expect(page.text).toContain('redirect_mismatch');
  });

  it.each(['openid phone', 'openid unknown'])('refuse the scope %s', async (scope) => {
    const fixture = await startPoolFixture();
    const { url, state } = await createAuthorizationRequest(fixture, { scope });
    const end = await createVisitor().open(url);

    expect(end.url.href).toContain(dashboard.callback);
    expect(Object.fromEntries(end.url.searchParams)).toMatchObject({ error: 'invalid_scope', state });
  });

  it('refuse a client without the authorization code flow', async () => {
    const fixture = await startPoolFixture({ client: { AllowedOAuthFlows: [] } });
    const end = await createVisitor().open((await createAuthorizationRequest(fixture)).url);

    expect(end.url.searchParams.get('error_description')).toBe(
      'requested response_type is not allowed for this client',
    );
  });

  it.each([
    ['logout_uri', { client_id: clientId, logout_uri: `${dashboard.home}other` }],
    ['client', { client_id: 'other', logout_uri: dashboard.home }],
  ])('refuse to sign out with an unknown %s', async (_, parameters) => {
    const { origin } = await startPoolFixture();
    const page = await createVisitor().open(`${origin}/logout?${new URLSearchParams(parameters)}`);

    expect(page.status).toBe(400);
  });

  it('refuse an identity provider that does not exist', async () => {
    const fixture = await startPoolFixture();
    const { url } = await createAuthorizationRequest(fixture, { idp_identifier: 'acme.example' });
    const end = await createVisitor().open(url);

    expect(end.url.searchParams.get('error_description')).toBe(
      'the identity provider acme.example is not available to this client',
    );
  });

  it('must name existing identity providers', async () => {
    const starting = startPoolFixture({ client: { SupportedIdentityProviders: ['COGNITO', 'Acme'] } });

    await expect(starting).rejects.toThrow(
      'Client.SupportedIdentityProviders has Acme: name COGNITO or an identity provider of the pool',
    );
  });
});
