/** The operations that users perform on their own account, with their access token. */
export interface UserApi {
  /** All operations throw a `SessionEndedError` when the access token is refused, and a `GatewayError` for bad input. */
  readProfile(accessToken: string): Promise<UserProfile>;
  changeName(accessToken: string, name: string): Promise<void>;
  /** Sends a code to the new address, which counts once it is verified. */
  changeEmail(accessToken: string, email: string): Promise<void>;
  verifyEmail(accessToken: string, code: string): Promise<void>;
  listPasskeys(accessToken: string): Promise<Passkey[]>;
  /** Throws a `GatewayError` (404) for an unknown passkey. */
  deletePasskey(accessToken: string, id: string): Promise<void>;
  /** Returns the new secret, which counts once a code is verified. In base 32. */
  createTotpSecret(accessToken: string): Promise<string>;
  enableTotp(accessToken: string, code: string): Promise<void>;
  /** Also withdraws that a passkey replaces the code, which Cognito allows only beside another factor. */
  disableTotp(accessToken: string): Promise<void>;
  /** Whether a sign-in with a passkey satisfies multi-factor authentication. Only for a user with TOTP. */
  setPasskeyMfa(accessToken: string, enabled: boolean): Promise<void>;
  /** Revokes the tokens of all sessions. */
  signOutEverywhere(accessToken: string): Promise<void>;
  /** Throws a `UserDeletedError` when it is repeated. */
  deleteUser(accessToken: string): Promise<void>;
}

export interface UserProfile {
  /** As the user or the company's identity provider spells it. */
  email: string;
  isEmailVerified: boolean;
  name: string | null;
  isTotpEnabled: boolean;
  isPasskeyMfaEnabled: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
}
