import {
  DeleteWebAuthnCredentialCommand,
  ListWebAuthnCredentialsCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, it } from 'vitest';
import { asObject } from '#local/untyped-json.ts';
import { createAuthenticator } from './authenticator.ts';
import { addPasskeyUrl, registerPasskey, signInWithPasskey } from './factors.ts';
import {
  createAuthorizationRequest,
  exchangeCode,
  password,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';
import { dashboard } from './user-pool-template.ts';
import { createVisitor } from './visitor.ts';

describe('Passkeys', () => {
  it('are added on their page, used to sign in, listed and removed', async () => {
    const fixture = await startPoolFixture();
    const { visitor, tokens } = await signUp(fixture);
    const authenticator = createAuthenticator(fixture.origin);
    const page = await visitor.open(addPasskeyUrl(fixture));
    const added = await registerPasskey(fixture, visitor, authenticator);
    const other = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await other.open(request.url);
    const signedIn = await signInWithPasskey(other, authenticator);
    const end = await other.open(String(signedIn.json.location));
    const AccessToken = tokens.access_token;
    const { Credentials } = await fixture.client.send(new ListWebAuthnCredentialsCommand({ AccessToken }));
    await fixture.client.send(
      new DeleteWebAuthnCredentialCommand({ AccessToken, CredentialId: authenticator.id }),
    );

    expect(page.text).toContain('ada@example.com');
    expect(added).toEqual({ status: 200, json: { location: dashboard.security } });
    expect((await exchangeCode(fixture, end.url, request)).claims()?.sub).toBe(tokens.claims()?.sub);
    expect(Credentials).toEqual([
      {
        CredentialId: authenticator.id,
        FriendlyCredentialName: 'Passkey',
        RelyingPartyId: 'localhost',
        AuthenticatorTransports: ['internal'],
        CreatedAt: new Date(Math.floor(fixture.clock.now / 1000) * 1000),
      },
    ]);
    const after = await fixture.client.send(new ListWebAuthnCredentialsCommand({ AccessToken }));
    expect(after.Credentials).toEqual([]);
    await expect(
      fixture.client.send(
        new DeleteWebAuthnCredentialCommand({ AccessToken, CredentialId: authenticator.id }),
      ),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await other.open(request.url.href.replace('/oauth2/authorize', '/login'));
    expect((await signInWithPasskey(other, authenticator)).json).toEqual({
      message: 'This passkey does not belong to an account.',
    });
  });

  it('are refused when the response is for another challenge or used twice', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const authenticator = createAuthenticator(fixture.origin);
    const refusal = { message: 'The passkey could not be verified. Try again.' };
    await visitor.open(addPasskeyUrl(fixture));
    const { json } = await visitor.post('/passkeys/add/options', {});
    const response = authenticator.create(String(asObject(json, 'options').challenge));
    await visitor.post('/passkeys/add/options', {});
    const late = await visitor.post(addPasskeyUrl(fixture), response);

    expect(late).toEqual({ status: 400, json: refusal });
    expect((await visitor.post(addPasskeyUrl(fixture), response)).json).toEqual(refusal);
  });

  it('need a sign-in before they are added, which then returns to the page', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    const visitor = createVisitor();
    const signInPage = await visitor.open(addPasskeyUrl(fixture));
    const options = await visitor.post('/passkeys/add/options', {});
    const page = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect(signInPage.url.pathname).toBe('/local');
    expect(options).toEqual({ status: 400, json: { message: 'Sign in again to create a passkey.' } });
    expect(page.url.pathname).toBe('/passkeys/add');
    expect(page.text).toContain(`href="${dashboard.security}">Cancel`);
  });

  it('are not added for a return address that the client does not have', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const page = await visitor.open(`${addPasskeyUrl(fixture)}/other`);

    expect(page.status).toBe(400);
    expect(page.text).toContain('redirect_mismatch');
  });
});
