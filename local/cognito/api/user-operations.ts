/** Operations that a user's access token authorizes. */
import { asList, asObject, type JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import { assertEmail, assertUnusedEmail } from '../directory/sign-up.ts';
import type { User } from '../directory/state.ts';
import { associateTotp, verifyNewTotp } from '../directory/totp.ts';
import { subOf } from '../directory/users.ts';
import { verifyAccessToken } from '../openid/access-token.ts';
import { signOutUser, type UserPool } from '../user-pool.ts';
import { describeMfa, setMfaPreference } from './mfa-preference.ts';
import { describeAttributes } from './user-description.ts';

type Operation = (pool: UserPool, user: User, body: JsonObject) => JsonObject;

const requiredScope = 'aws.cognito.signin.user.admin';

const operations: Record<string, Operation> = {
  GetUser: (pool, user) => ({
    Username: user.username,
    UserAttributes: describeAttributes(user),
    ...describeMfa(pool, user),
  }),
  ListWebAuthnCredentials: (pool, { passkeys }) => ({
    Credentials: passkeys.map(({ id, name, transports, created_at: createdAt }) => ({
      CredentialId: id,
      FriendlyCredentialName: name,
      RelyingPartyId: new URL(pool.signInOrigin).hostname,
      AuthenticatorTransports: transports,
      CreatedAt: Math.floor(createdAt / 1000),
    })),
  }),
  DeleteWebAuthnCredential(pool, user, { CredentialId }) {
    const others = user.passkeys.filter(({ id }) => id !== CredentialId);
    if (others.length === user.passkeys.length) {
      throw new CognitoError('ResourceNotFoundException', 'The WebAuthn credential does not exist.');
    }
    pool.users.update(user, { passkeys: others });
    return {};
  },
  AssociateSoftwareToken: (pool, user) => ({ SecretCode: associateTotp(pool.users, user) }),
  VerifySoftwareToken(pool, user, { UserCode }) {
    if (user.new_totp_secret === undefined) {
      throw new CognitoError('InvalidParameterException', 'Software token MFA has not been associated');
    }
    if (!verifyNewTotp(pool.users, user, { code: String(UserCode), now: pool.now() })) {
      throw new CognitoError('EnableSoftwareTokenMFAException', 'Code mismatch');
    }
    return { Status: 'SUCCESS' };
  },
  SetUserMFAPreference: setMfaPreference,
  UpdateUserAttributes: updateAttributes,
  VerifyUserAttribute: verifyEmail,
  GlobalSignOut(pool, user) {
    pool.tokens.revokeTokens(subOf(user));
    return {};
  },
  DeleteUser(pool, user) {
    signOutUser(pool, user);
    pool.users.remove(user);
    return {};
  },
};

export const userOperations: Record<string, (pool: UserPool, body: JsonObject) => JsonObject> =
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (pool: UserPool, body: JsonObject) => operation(pool, authenticate(pool, body), body),
    ]),
  );

function authenticate(pool: UserPool, { AccessToken }: JsonObject): User {
  const { user, scopes } = verifyAccessToken(pool, AccessToken);
  if (scopes.includes(requiredScope)) return user;
  throw new CognitoError('NotAuthorizedException', 'Access Token does not have required scopes');
}

function updateAttributes(pool: UserPool, user: User, { UserAttributes }: JsonObject): JsonObject {
  const changes = asList(UserAttributes).map((value) => {
    const { Name, Value } = asObject(value, 'UserAttributes');
    return [String(Name), String(Value ?? '')] as const;
  });
  const { email, ...others } = Object.fromEntries(changes);
  if (Object.keys(others).some((name) => name !== 'name')) {
    throw new CognitoError('NotAuthorizedException', 'A client attempted to write unauthorized attribute');
  }
  pool.users.update(user, { attributes: { ...user.attributes, ...others } });
  if (email === undefined || email === user.attributes.email) return {};
  return { CodeDeliveryDetailsList: [changeEmail(pool, user, email)] };
}

/** Mails a code to the new address. */
function changeEmail(pool: UserPool, user: User, email: string): JsonObject {
  assertEmail(email);
  assertUnusedEmail(pool, email, 'AliasExistsException');
  if (!pool.settings.verifiesEmailBeforeUpdate) {
    pool.users.update(user, { attributes: { ...user.attributes, email, email_verified: 'false' } });
  }
  pool.users.update(user, { pending_email: email });
  pool.codes.send(user, 'email', email);
  const destination = email.replace(/(?<=^.).*(?=@)|(?<=@.).*/g, '***');
  return { AttributeName: 'email', DeliveryMedium: 'EMAIL', Destination: destination };
}

function verifyEmail(pool: UserPool, user: User, { AttributeName, Code }: JsonObject): JsonObject {
  const { codes, users } = pool;
  if (AttributeName !== 'email') {
    throw new CognitoError('InvalidParameterException', `Attribute ${AttributeName} cannot be verified`);
  }
  const { pending_email: email = user.attributes.email ?? '', attributes } = user;
  codes.verify(user, 'email', String(Code));
  if (email !== attributes.email) assertUnusedEmail(pool, email, 'AliasExistsException');
  users.update(user, {
    attributes: { ...attributes, email, email_verified: 'true' },
    pending_email: undefined,
  });
  return {};
}
