import {
  GetUserCommand,
  SetUserMFAPreferenceCommand,
  type SetUserMFAPreferenceCommandInput,
} from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { addPasskeyUrl, currentCode, registerPasskey, setUpTotp, signInWithPasskey } from './factors.ts';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  type PoolFixture,
  password,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';
import { createVisitor } from './visitor.ts';

type Preference = Omit<SetUserMFAPreferenceCommandInput, 'AccessToken'>;

const on = { Enabled: true };
const off = { Enabled: false };
const refusal = {
  status: 400,
  json: { message: 'Password Challenge is Required to SignIn. Sign in with your password.' },
};

describe('A passkey of a user with an authenticator app', () => {
  it('signs in only if the user prefers that, and the password still needs a code', async () => {
    const fixture = await startPoolFixture();
    const { accessToken, authenticator } = await signUpWithPasskey(fixture);
    const before = await trySignIn(fixture, authenticator);
    await setUpTotp(fixture, accessToken);
    const withTotp = await trySignIn(fixture, authenticator);
    await prefer(fixture, accessToken, { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on });
    const preferred = await trySignIn(fixture, authenticator);
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const challenge = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect([before.status, withTotp, preferred.status]).toEqual([200, refusal, 200]);
    expect(challenge.url.pathname).toBe('/mfa');
    expect(challenge.text).not.toContain('passkey');
  });

  it('does not sign in when the pool counts passkeys as one factor', async () => {
    const fixture = await startPoolFixture({ pool: { WebAuthnFactorConfiguration: 'SINGLE_FACTOR' } });
    const { accessToken, authenticator } = await signUpWithPasskey(fixture);
    await setUpTotp(fixture, accessToken);

    await expect(
      prefer(fixture, accessToken, { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on }),
    ).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: 'WebAuthn MFA is not enabled for this user pool.',
    });
    expect(await trySignIn(fixture, authenticator)).toEqual(refusal);
  });
});

describe('The preference for passkeys', () => {
  const needsOtherMethod = {
    name: 'InvalidParameterException',
    message: 'WebAuthn MFA requires enabling an additional MFA setting.',
  };

  it('is accepted only with the authenticator app in the same call, and refused without a passkey', async () => {
    const fixture = await startPoolFixture();
    const { tokens, visitor } = await signUp(fixture);
    const accessToken = tokens.access_token;
    const both: Preference = { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on };
    await setUpTotp(fixture, accessToken);
    await expect(prefer(fixture, accessToken, both)).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: 'User does not have applicable WebAuthn credentials to enable WebAuthn MFA.',
    });
    await visitor.open(addPasskeyUrl(fixture));
    await registerPasskey(fixture, visitor, createAuthenticator(fixture.origin));
    await expect(prefer(fixture, accessToken, { WebAuthnMfaSettings: on })).rejects.toMatchObject(
      needsOtherMethod,
    );
    await prefer(fixture, accessToken, both);

    expect(await readMethods(fixture, accessToken)).toEqual(['SOFTWARE_TOKEN_MFA', 'WEB_AUTHN_MFA']);
  });

  it('keeps the authenticator app switched on, unless both are switched off', async () => {
    const fixture = await startPoolFixture();
    const { accessToken } = await signUpWithPasskey(fixture);
    await setUpTotp(fixture, accessToken);
    await prefer(fixture, accessToken, { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on });
    await expect(prefer(fixture, accessToken, { SoftwareTokenMfaSettings: off })).rejects.toMatchObject(
      needsOtherMethod,
    );
    const refused = await readMethods(fixture, accessToken);
    await prefer(fixture, accessToken, { WebAuthnMfaSettings: off });
    const withdrawn = await readMethods(fixture, accessToken);
    await prefer(fixture, accessToken, { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on });
    await prefer(fixture, accessToken, { SoftwareTokenMfaSettings: off, WebAuthnMfaSettings: off });

    expect(refused).toEqual(['SOFTWARE_TOKEN_MFA', 'WEB_AUTHN_MFA']);
    expect(withdrawn).toEqual(['SOFTWARE_TOKEN_MFA']);
    expect(await readMethods(fixture, accessToken)).toBeUndefined();
  });
});

describe('A passkey in a pool that requires MFA', () => {
  it('signs in once the authenticator app is set up and the user prefers that', async () => {
    const fixture = await startPoolFixture({ pool: { MfaConfiguration: 'ON' } });
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url);
    await visitor.submit('/signup', { email: 'ada@example.com', password });
    const setUp = await visitor.submit('/confirm', { code: latestCode(fixture) });
    const secret = /<code>([A-Z2-7]+)<\/code>/.exec(setUp.text)?.[1] ?? '';
    const end = await visitor.submit('/mfa/setup', { code: currentCode(secret, fixture) });
    const accessToken = (await exchangeCode(fixture, end.url, request)).access_token;
    const authenticator = createAuthenticator(fixture.origin);
    await visitor.open(addPasskeyUrl(fixture));
    await registerPasskey(fixture, visitor, authenticator);
    const before = await trySignIn(fixture, authenticator);
    await prefer(fixture, accessToken, { SoftwareTokenMfaSettings: on, WebAuthnMfaSettings: on });

    expect(before).toEqual(refusal);
    expect((await trySignIn(fixture, authenticator)).status).toBe(200);
  });
});

async function signUpWithPasskey(fixture: PoolFixture) {
  const { tokens, visitor } = await signUp(fixture);
  const authenticator = createAuthenticator(fixture.origin);
  await visitor.open(addPasskeyUrl(fixture));
  await registerPasskey(fixture, visitor, authenticator);
  return { accessToken: tokens.access_token, authenticator };
}

/** With a browser that has no session. */
async function trySignIn(fixture: PoolFixture, authenticator: Authenticator) {
  const visitor = createVisitor();
  await visitor.open((await createAuthorizationRequest(fixture)).url);
  return signInWithPasskey(visitor, authenticator);
}

async function prefer({ client }: PoolFixture, AccessToken: string, preference: Preference): Promise<void> {
  await client.send(new SetUserMFAPreferenceCommand({ AccessToken, ...preference }));
}

async function readMethods({ client }: PoolFixture, AccessToken: string): Promise<string[] | undefined> {
  return (await client.send(new GetUserCommand({ AccessToken }))).UserMFASettingList;
}
