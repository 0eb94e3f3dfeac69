/** The account of the signed-in user. */
import * as z from 'zod/mini';
import { companySignInMessage, isCompanyAddress } from '#lambdas/accounts/identity-provider.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import type { CallHandler } from '../call.ts';
import { type DashboardResponse, jsonResponse, noContent } from '../http/dashboard-response.ts';
import { readBody } from '../http/read-body.ts';
import type { Account } from '../responses.ts';
import type { SessionServices } from '../services.ts';
import { type ActiveSession, tokensOf } from '../sessions/active-session.ts';
import { endOtherSessions } from '../sessions/end-other-sessions.ts';
import { clearSessionCookie } from '../sessions/session-cookie.ts';
import { SessionEndedError } from '../sessions/session-ended-error.ts';
import type { DashboardSettings } from '../settings.ts';
import { requireNativeAccount } from './require-native.ts';
import type { UserProfile } from './user-api.ts';
import { verificationCode } from './verification-code.ts';

/** `GET /dashboard/api/account` */
export const showAccount: CallHandler = async ({ session }, services) => {
  const userApi = await services.loadUserApi();
  const profile = await userApi.readProfile(tokensOf(session).accessToken);
  return accountResponse(services, session, { profile, pendingEmail: session.record.pendingEmail });
};

const namePattern = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const nameBody = z.strictObject({
  name: z
    .string({ error: 'name must be text' })
    .check(z.trim(), z.regex(namePattern, { error: 'name must have 1 to 100 characters, all printable' })),
});

/** `PATCH /dashboard/api/account` */
export const changeName: CallHandler = async (call, services) => {
  const { session } = call;
  const { name } = await readBody(call, nameBody);
  requireNativeAccount(session, 'name');
  const userApi = await services.loadUserApi();
  const { accessToken } = tokensOf(session);
  await userApi.changeName(accessToken, name);
  const profile = await userApi.readProfile(accessToken);
  return saveAndShow(services, session, { profile, pendingEmail: session.record.pendingEmail });
};

/** The limit of SMTP: https://www.rfc-editor.org/errata/eid1690 */
const maxAddressLength = 254;
const addressPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const emailBody = z.strictObject({
  email: z
    .string({ error: 'email must be text' })
    .check(
      z.trim(),
      z.toLowerCase(),
      z.maxLength(maxAddressLength, { error: `email must have at most ${maxAddressLength} characters` }),
      z.regex(addressPattern, { error: 'email must be an address, such as name@example.com' }),
    ),
});

/** `POST /dashboard/api/account/email` */
export const changeEmail: CallHandler = async (call, services) => {
  const { session } = call;
  const { email } = await readBody(call, emailBody);
  requireNativeAccount(session, 'email');
  const { identity } = session.record;
  const { identityProvider } = services.settings;
  if (email === identity.email) throw invalidRequest('email', 'This is the current address of the account');
  // With such an address, the user could not sign in any more.
  if (identityProvider !== null && isCompanyAddress(identityProvider, email)) {
    throw invalidRequest('email', companySignInMessage(identityProvider));
  }
  const userApi = await services.loadUserApi();
  await userApi.changeEmail(tokensOf(session).accessToken, email);
  await services.sessions.updateProfile(session.token, { ...identity, pendingEmail: email });
  return noContent();
};

/** `POST /dashboard/api/account/email/verification` */
export const verifyEmail: CallHandler = async (call, services) => {
  const { session } = call;
  const { code } = await readBody(call, verificationCode);
  requireNativeAccount(session, 'code');
  const userApi = await services.loadUserApi();
  const { accessToken } = tokensOf(session);
  await userApi.verifyEmail(accessToken, code);
  const profile = await userApi.readProfile(accessToken);
  return saveAndShow(services, session, { profile, pendingEmail: null });
};

/**
 * `DELETE /dashboard/api/account`. The user is deleted first: if deleting the sessions fails, a repeated call ends them,
 * although Cognito then refuses the access token.
 */
export const deleteAccount: CallHandler = async (call, services) => {
  const { session } = call;
  const { email } = await readBody(call, emailBody);
  if (email !== session.record.identity.email) {
    throw invalidRequest('email', 'email must be the address of this account, to confirm its deletion');
  }
  const userApi = await services.loadUserApi();
  const refusal = await userApi.deleteUser(tokensOf(session).accessToken).then(
    () => null,
    (error: unknown) => {
      if (error instanceof SessionEndedError) return error;
      throw error;
    },
  );
  await endOtherSessions(services.sessions, session);
  if (refusal !== null) throw refusal;
  await services.sessions.delete(session.token);
  services.log.info('account_deleted', { user_id: session.token.userId });
  return noContent(clearSessionCookie());
};

interface AccountState {
  profile: UserProfile;
  pendingEmail: string | null;
}

/** Updates the copies in the session, so that `GET /dashboard/api/session` shows the change at once. */
async function saveAndShow(
  services: SessionServices,
  session: ActiveSession,
  account: AccountState,
): Promise<DashboardResponse> {
  const { profile, pendingEmail } = account;
  const { email, name } = profile;
  await services.sessions.updateProfile(session.token, { email, name, pendingEmail });
  return accountResponse(services, session, account);
}

async function accountResponse(
  { settings, loadUserApi }: SessionServices,
  session: ActiveSession,
  { profile, pendingEmail }: AccountState,
): Promise<DashboardResponse> {
  const { id, identityProvider } = session.record.identity;
  const isNative = identityProvider === null;
  const userApi = await loadUserApi();
  const passkeys = isNative ? await userApi.listPasskeys(tokensOf(session).accessToken) : [];
  return jsonResponse<Account>({
    id,
    email: profile.email,
    pending_email: pendingEmail === profile.email ? null : pendingEmail,
    name: profile.name,
    identity_provider: identityProvider,
    // The company decides about the factors of its users.
    mfa_required: isNative && settings.mfaRequired,
    totp_enabled: profile.isTotpEnabled,
    passkeys: passkeys.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
    add_passkey_url: addPasskeyUrl(settings),
  });
}

/** Passkeys belong to the domain of managed login, which therefore creates them. */
function addPasskeyUrl({ signInOrigin, clientId, dashboardOrigin }: DashboardSettings): string {
  const redirectUri = `${dashboardOrigin}/account/security`;
  return `${signInOrigin}/passkeys/add?${new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri })}`;
}
