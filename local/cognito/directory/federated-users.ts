import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#local/untyped-json.ts';
import { mapAttributes } from '../openid/federation.ts';
import type { IdentityProviderSettings } from '../settings/identity-provider.ts';
import type { UserPool } from '../user-pool.ts';
import { assertEnabled } from './sign-in.ts';
import type { User } from './state.ts';

/**
 * Finds the user of a person whom an identity provider has authenticated, with the attributes of this sign-in. The first
 * sign-in creates the user. Throws a `CognitoError` when the trigger refuses that, or the user is disabled.
 */
export async function signInFederatedUser(
  { users, triggers, announceSignUp, now }: UserPool,
  provider: IdentityProviderSettings,
  { claims, clientId }: { claims: JsonObject & { sub: string }; clientId: string },
): Promise<User> {
  const username = `${provider.name}_${claims.sub}`;
  const mapped = mapAttributes(provider, claims);
  const existing = users.all().find((user) => user.username === username);
  if (existing !== undefined) {
    assertEnabled(existing);
    users.update(existing, { attributes: { ...existing.attributes, ...mapped } });
    return existing;
  }
  const aliases = { 'cognito:email_alias': '', 'cognito:phone_number_alias': '' };
  const subject = { username, attributes: { ...aliases, ...mapped } };
  await triggers.preSignUp('PreSignUp_ExternalProvider', subject, clientId);
  const identity = {
    userId: claims.sub,
    providerName: provider.name,
    providerType: provider.type,
    issuer: null,
    primary: 'true',
    dateCreated: String(now()),
  };
  const user = users.create({
    username,
    attributes: { sub: randomUUID(), ...mapped, identities: JSON.stringify([identity]) },
    status: 'EXTERNAL_PROVIDER',
  });
  await announceSignUp(user);
  return user;
}
