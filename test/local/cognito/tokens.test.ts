import { AdminDisableUserCommand, GetUserCommand } from '@aws-sdk/client-cognito-identity-provider';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  signUp,
  startPoolFixture,
  userPoolId,
} from './pool-fixture.ts';
import { clientId } from './user-pool-template.ts';

describe('Tokens', () => {
  it('have the claims of Cognito', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    const idToken = tokens.claims();
    const accessToken = claimsOf(tokens.access_token);
    const now = Math.floor(fixture.clock.now / 1000);
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);

    expect(idToken).toEqual({
      sub: uuid,
      iss: fixture.origin,
      aud: clientId,
      token_use: 'id',
      'cognito:username': idToken?.sub,
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada',
      nonce: expect.any(String),
      at_hash: expect.any(String),
      origin_jti: accessToken.origin_jti,
      event_id: accessToken.event_id,
      auth_time: expect.closeTo(now, -3),
      iat: now,
      exp: now + 65 * 60,
      jti: uuid,
    });
    expect(accessToken).toEqual({
      sub: idToken?.sub,
      iss: fixture.origin,
      token_use: 'access',
      client_id: clientId,
      username: idToken?.sub,
      version: 2,
      scope: 'openid email profile aws.cognito.signin.user.admin',
      origin_jti: expect.any(String),
      event_id: uuid,
      auth_time: idToken?.auth_time,
      iat: now,
      exp: now + 65 * 60,
      jti: uuid,
    });
    expect(tokens.expires_in).toBe(65 * 60);
    expect(await openid.fetchUserInfo(fixture.relyingParty, tokens.access_token, `${idToken?.sub}`)).toEqual({
      sub: idToken?.sub,
      username: idToken?.sub,
      email: 'ada@example.com',
      email_verified: 'true',
      name: 'Ada',
    });
  });

  it('are refused for a code without its PKCE verifier, and for a code that was used', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const request = await createAuthorizationRequest(fixture);
    const { url } = await visitor.open(request.url);
    const other = { ...request, codeVerifier: openid.randomPKCECodeVerifier() };

    await expect(exchangeCode(fixture, url, other)).rejects.toMatchObject({ error: 'invalid_grant' });
    await exchangeCode(fixture, url, request);
    await expect(exchangeCode(fixture, url, request)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('A refresh token', () => {
  it('is rotated, and accepted again during the grace period only', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    const first = await refresh(fixture, tokens.refresh_token);
    fixture.clock.now += 59_000;
    const again = await refresh(fixture, tokens.refresh_token);
    fixture.clock.now += 1000;

    expect(new Set([tokens.refresh_token, first.refresh_token, again.refresh_token]).size).toBe(3);
    expect(claimsOf(first.id_token)).toMatchObject({
      email: 'ada@example.com',
      origin_jti: tokens.claims()?.origin_jti,
      auth_time: tokens.claims()?.auth_time,
    });
    await expect(refresh(fixture, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    // The late attempt does not revoke the newer tokens.
    await refresh(fixture, first.refresh_token);
    await refresh(fixture, again.refresh_token);
  });

  it('ends 12 hours after the sign-in, however often it was rotated', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    fixture.clock.now += 11 * 3_600_000;
    const { refresh_token: rotated } = await refresh(fixture, tokens.refresh_token);
    // oidc-provider uses the real clock, which is ahead by the duration of the sign-in.
    fixture.clock.now += 3_600_000 + 600_000;

    await expect(refresh(fixture, rotated)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('is refused without rotation when the client does not allow refresh tokens', async () => {
    const fixture = await startPoolFixture({ client: { RefreshTokenRotation: { Feature: 'DISABLED' } } });
    const { tokens } = await signUp(fixture);

    expect(tokens.refresh_token).toBeUndefined();
  });

  it('is invalid after its revocation, and so is the access token', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    await openid.tokenRevocation(fixture.relyingParty, String(tokens.refresh_token));

    await expect(refresh(fixture, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(
      fixture.client.send(new GetUserCommand({ AccessToken: tokens.access_token })),
    ).rejects.toMatchObject({ name: 'NotAuthorizedException', message: 'Access Token has been revoked' });
  });

  it('is refused for a disabled user', async () => {
    const fixture = await startPoolFixture();
    const { tokens, visitor } = await signUp(fixture);
    await fixture.client.send(
      new AdminDisableUserCommand({ UserPoolId: userPoolId, Username: 'ada@example.com' }),
    );
    const afterwards = await visitor.open((await createAuthorizationRequest(fixture)).url);

    await expect(refresh(fixture, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(afterwards.url.pathname).toBe('/local');
  });

  it('is accepted with the client secret in the authorization header', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    const post = (secret: string) =>
      fetch(`${fixture.origin}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: String(tokens.refresh_token),
        }),
      });

    expect((await post('wrong')).status).toBe(401);
    expect((await post(fixture.clientSecret)).status).toBe(200);
  });
});

type Fixture = Awaited<ReturnType<typeof startPoolFixture>>;

function refresh({ relyingParty }: Fixture, refreshToken: string | undefined) {
  return openid.refreshTokenGrant(relyingParty, String(refreshToken));
}

function claimsOf(token: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
}
