/** The parts of the user pool that pages, the OpenID provider and the API share. */
import { CognitoError } from './cognito-error.ts';
import type { Codes } from './directory/codes.ts';
import type { User } from './directory/state.ts';
import { subOf, type Users } from './directory/users.ts';
import type { Mailbox } from './mailbox.ts';
import type { TokenRecords } from './openid/records.ts';
import type { SigningKey } from './openid/signing-key.ts';
import type { ClientSettings } from './settings/client.ts';
import type { IdentityProviderSettings } from './settings/identity-provider.ts';
import type { UserPoolSettings } from './settings/user-pool.ts';
import type { Triggers } from './triggers.ts';

export interface UserPool {
  settings: UserPoolSettings;
  /** Also the issuer of the tokens. */
  signInOrigin: string;
  users: Users;
  codes: Codes;
  mailbox: Mailbox;
  triggers: Triggers;
  /** To be called for each new account when its address is confirmed. */
  announceSignUp(user: User): Promise<void>;
  tokens: TokenRecords;
  signingKey: SigningKey;
  /** By client id. Clients without a secret have no entry. */
  clientSecrets: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  now(): number;
  log(line: string): void;
}

/** Ends everything that the user has open: a disabled or deleted user has no session and no token. */
export function signOutUser({ tokens }: UserPool, user: User): void {
  tokens.revokeTokens(subOf(user));
  tokens.endSessions(subOf(user));
}

/** Throws for an unknown id, which oidc-provider and the routes have refused before. */
export function findClient({ settings }: UserPool, id: string): ClientSettings {
  const client = settings.clients.find((candidate) => candidate.id === id);
  if (client === undefined)
    throw new CognitoError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
  return client;
}

/** Finds the provider that the parameters of an authorization request name, if the client supports it. */
export function findIdentityProvider(
  { settings }: UserPool,
  client: ClientSettings,
  parameters: Record<string, unknown>,
): IdentityProviderSettings | undefined {
  const { identity_provider: name, idp_identifier: identifier } = parameters;
  return settings.identityProviders.find(
    (provider) =>
      provider.type === 'OIDC' &&
      client.identityProviders.includes(provider.name) &&
      (provider.name === name || provider.identifiers.some((candidate) => candidate === identifier)),
  );
}
