/** The user pool as an OpenID provider, without the library that implements it. */
import type { Claims } from '../identity.ts';
import type { ProviderTokens } from '../sessions/token.ts';

export interface OpenIdProvider {
  /** Begins a sign-in with new random values. */
  authorize(parameters: AuthorizationParameters): Promise<Authorization>;
  /** Throws a `GrantRefusedError`, or another error if the provider is unavailable. `callbackUrl` has code and state. */
  exchangeCode(callbackUrl: URL, checks: AuthorizationChecks): Promise<IssuedTokens>;
  /** Rotates the refresh token. Throws like `exchangeCode`. */
  refresh(refreshToken: string): Promise<IssuedTokens>;
  /** Revokes the refresh token and the access tokens that came from it. */
  revoke(refreshToken: string): Promise<void>;
}

interface AuthorizationParameters {
  redirectUri: string;
  /** Shows the form for a new account first. */
  isSignUp: boolean;
  /** A domain of the company, to go straight to its identity provider. */
  idpIdentifier: string | null;
  /** The address that the form has filled in. */
  loginHint: string | null;
}

interface Authorization {
  url: string;
  checks: AuthorizationChecks;
}

/** Known only to this server and the browser that began the sign-in. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface IssuedTokens {
  tokens: ProviderTokens;
  /** The claims of the ID token, which were verified. */
  claims: Claims;
}

/** The provider has refused the sign-in or the refresh token, or its ID token is not valid. */
export class GrantRefusedError extends Error {
  /** The error code of OAuth (`invalid_grant`, `access_denied`), or that of the failed check. */
  readonly code: string;

  constructor(code: string) {
    super(`The grant was refused: ${code}`);
    this.name = 'GrantRefusedError';
    this.code = code;
  }
}
