/** The bodies of the responses of the function `Session`, whose types the page shares. Times are ISO 8601. */

/** By route, below `/dashboard/api`. `null` without a body. */
export interface SignInResponses {
  'GET /sign-in': null;
  'GET /callback': null;
  'GET /sign-out': null;
  'GET /sign-in-options': SignInOptions;
  'GET /session': Session;
  'DELETE /session': null;
  'GET /sessions': SessionList;
  'DELETE /sessions': null;
  'DELETE /sessions/{id}': null;
  'GET /account': Account;
  'PATCH /account': Account;
  'DELETE /account': null;
  'POST /account/email': null;
  'POST /account/email/verification': Account;
  'DELETE /account/passkeys/{id}': null;
  'POST /account/totp': TotpSetup;
  'DELETE /account/totp': null;
  'POST /account/totp/verification': null;
}

interface SignInOptions {
  sign_up: 'open' | 'invited';
  identity_provider: { name: string; idp_identifier: string; domains: readonly string[] } | null;
}

export interface Session {
  user: User;
  signed_in_at: string;
  expires_at: string;
  /** The IANA time zone that the user has chosen, in all sessions; `null` for that of the browser. */
  time_zone: string | null;
}

export interface User {
  id: string;
  email: string;
  name: string | null;
  /** Name of the company's identity provider; null for accounts with a password or passkey. */
  identity_provider: string | null;
}

export interface SessionList {
  object: 'list';
  data: SessionListItem[];
}

export interface SessionListItem {
  id: string;
  current: boolean;
  user_agent: string | null;
  signed_in_at: string;
  last_renewed_at: string;
  expires_at: string;
}

export interface Account extends User {
  /** New address that awaits its verification. */
  pending_email: string | null;
  /** Like that of `Session`. */
  time_zone: string | null;
  mfa_required: boolean;
  totp_enabled: boolean;
  passkeys: Passkey[];
  add_passkey_url: string;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
}

export interface TotpSetup {
  /** Base32. */
  secret: string;
  /** `otpauth:` URI for the QR code. */
  uri: string;
}
