/** A user's own settings of multi-factor authentication (MFA). */
import { asObject, type JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import type { User } from '../directory/state.ts';
import { usesTotp } from '../directory/totp.ts';
import type { UserPool } from '../user-pool.ts';

/** The part of `GetUser` about MFA. */
export function describeMfa({ settings }: UserPool, user: User): JsonObject {
  if (!usesTotp(settings, user)) return {};
  return {
    PreferredMfaSetting: 'SOFTWARE_TOKEN_MFA',
    UserMFASettingList: ['SOFTWARE_TOKEN_MFA', ...(user.passkey_mfa ? ['WEB_AUTHN_MFA'] : [])],
  };
}

/** Settings that the call leaves out stay as they are. Throws `InvalidParameterException` for a combination Cognito refuses. */
export function setMfaPreference({ settings, users }: UserPool, user: User, body: JsonObject): JsonObject {
  const totp = readEnabled(body, 'SoftwareTokenMfaSettings');
  const passkey = readEnabled(body, 'WebAuthnMfaSettings');
  if (totp === true && user.totp === undefined)
    throw invalidParameterError('User has not verified software token mfa');
  if (totp === false && settings.mfa === 'ON')
    throw invalidParameterError('MFA is required in this user pool');
  // A call that allows passkeys has to switch the other method on too, even if that is on already.
  const hasOtherMethod = passkey === true ? totp === true : totp !== false;
  if ((passkey ?? user.passkey_mfa) && !hasOtherMethod) {
    throw invalidParameterError('WebAuthn MFA requires enabling an additional MFA setting.');
  }
  if (passkey === true && !settings.passkeys?.satisfiesMfa) {
    throw invalidParameterError('WebAuthn MFA is not enabled for this user pool.');
  }
  if (passkey === true && user.passkeys.length === 0) {
    throw invalidParameterError('User does not have applicable WebAuthn credentials to enable WebAuthn MFA.');
  }
  users.update(user, {
    totp: user.totp && { ...user.totp, enabled: totp ?? user.totp.enabled },
    passkey_mfa: passkey ?? user.passkey_mfa,
  });
  return {};
}

function readEnabled(body: JsonObject, name: string): boolean | undefined {
  const preference = body[name];
  return preference === undefined ? undefined : asObject(preference, name).Enabled === true;
}

function invalidParameterError(message: string): CognitoError {
  return new CognitoError('InvalidParameterException', message);
}
