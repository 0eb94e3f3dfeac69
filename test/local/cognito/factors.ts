/** Factors of users: authenticator apps and passkeys. */
import {
  AssociateSoftwareTokenCommand,
  SetUserMFAPreferenceCommand,
  VerifySoftwareTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { generateSync } from 'otplib';
import { expect } from 'vitest';
import { asObject } from '#local/untyped-json.ts';
import type { Authenticator } from './authenticator.ts';
import type { PoolFixture } from './pool-fixture.ts';
import { clientId, dashboard } from './user-pool-template.ts';
import type { Visitor } from './visitor.ts';

/** Returns the secret of the app, which the user's next sign-in needs. */
export async function setUpTotp(fixture: PoolFixture, AccessToken: string): Promise<string> {
  const { client } = fixture;
  const { SecretCode = '' } = await client.send(new AssociateSoftwareTokenCommand({ AccessToken }));
  await expect(
    client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode: '00000' })),
  ).rejects.toMatchObject({ name: 'EnableSoftwareTokenMFAException' });
  const UserCode = currentCode(SecretCode, fixture);
  await client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode }));
  await client.send(
    new SetUserMFAPreferenceCommand({
      AccessToken,
      SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true },
    }),
  );
  return SecretCode;
}

export function currentCode(secret: string, { clock }: PoolFixture): string {
  return generateSync({ secret, epoch: Math.floor(clock.now / 1000) });
}

export function addPasskeyUrl({ origin }: PoolFixture): string {
  const parameters = new URLSearchParams({ client_id: clientId, redirect_uri: dashboard.security });
  return `${origin}/passkeys/add?${parameters}`;
}

/** For a visitor who is on the page at `addPasskeyUrl`. */
export function registerPasskey(fixture: PoolFixture, visitor: Visitor, authenticator: Authenticator) {
  return respondTo(visitor, authenticator, 'create', {
    options: '/passkeys/add/options',
    result: addPasskeyUrl(fixture),
  });
}

/** For a visitor who is on the sign-in page. */
export function signInWithPasskey(visitor: Visitor, authenticator: Authenticator) {
  return respondTo(visitor, authenticator, 'get', {
    options: '/login/passkey/options',
    result: '/login/passkey',
  });
}

/** Does what the script of the page does. */
async function respondTo(
  visitor: Visitor,
  authenticator: Authenticator,
  action: 'create' | 'get',
  urls: { options: string; result: string },
) {
  const options = asObject((await visitor.post(urls.options, {})).json, 'options');
  const { status, json } = await visitor.post(urls.result, authenticator[action](String(options.challenge)));
  return { status, json: asObject(json, 'result') };
}
