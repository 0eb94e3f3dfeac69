/** The account of the signed-in user. */
import * as z from 'zod/mini';
import { isSameAddress, smtpAddress } from '#lambdas/accounts/email-address.ts';
import { emailField, nameField, timeZoneField } from '#lambdas/accounts/http/fields.ts';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { type DashboardResponse, jsonResponse, noContent } from '#lambdas/accounts/http/response.ts';
import { refusalOfNativeUser } from '#lambdas/accounts/identity.ts';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import { type LeaveDependencies, leaveAllOrganizations } from '#lambdas/accounts/members/end-membership.ts';
import {
  deleteProfile,
  findTimeZone,
  saveProfile,
  saveTimeZone,
} from '#lambdas/accounts/members/profiles.ts';
import {
  type ActiveSession,
  clearSessionCookie,
  SessionEndedError,
  tokensOf,
  UserDeletedError,
} from '#lambdas/accounts/sessions/active-session.ts';
import { endOtherSessions } from '#lambdas/accounts/sessions/lifecycle.ts';
import { deleteSession, updateSessionProfile } from '#lambdas/accounts/sessions/store.ts';
import { refusalOfSignUp } from '#lambdas/accounts/sign-up/rules.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { CallHandler, DashboardSettings, SignInDependencies } from '../call.ts';
import type { Account } from '../responses.ts';
import { readFactors, requireNativeAccount, verificationCode } from './factors.ts';

/** `GET /dashboard/api/account` */
export const showAccount: CallHandler<Account> = async ({ session }, dependencies) => {
  const { pendingEmail } = session.record;
  return saveAndShow(dependencies, session, pendingEmail);
};

const change = z.strictObject({ name: z.optional(nameField), time_zone: z.optional(timeZoneField) }).check(
  z.refine(({ name, time_zone }) => (name === undefined) !== (time_zone === undefined), {
    error: 'The request body must have either name or time_zone',
  }),
);

/** `PATCH /dashboard/api/account`. The name is the identity provider's, the time zone is kept here. */
export const changeAccount: CallHandler<Account> = async (call, dependencies) => {
  const { session } = call;
  const { name, time_zone } = await readBody(call, change);
  if (name !== undefined) {
    requireNativeAccount(session, 'name');
    const userApi = await dependencies.loadUserApi();
    await userApi.changeName(tokensOf(session).accessToken, name);
  }
  if (time_zone !== undefined) await saveTimeZone(dependencies.accounts, session.record.identity, time_zone);
  return saveAndShow(dependencies, session, session.record.pendingEmail);
};

const emailBody = z.strictObject({ email: emailField });

/** `POST /dashboard/api/account/email` */
export const changeEmail: CallHandler<null> = async (call, dependencies) => {
  const { session } = call;
  const { accounts, settings, now } = dependencies;
  const { email } = await readBody(call, emailBody);
  requireNativeAccount(session, 'email');
  const { identity } = session.record;
  if (isSameAddress(email, identity.email))
    throw invalidRequestError('email', 'This is the current address of the account');
  // Otherwise an account could leave the addresses that the operator has let in.
  const refusal = await refusalOfSignUp(email, settings, (address) => isInvited(accounts, address, now()));
  if (refusal !== null) throw invalidRequestError('email', refusal.message);
  const userApi = await dependencies.loadUserApi();
  // Cognito mails the code to the address as it gets it.
  await userApi.changeEmail(tokensOf(session).accessToken, smtpAddress(email) ?? email);
  await updateSessionProfile(accounts, session.token, { ...identity, pendingEmail: email });
  return noContent();
};

/** `POST /dashboard/api/account/email/verification` */
export const verifyEmail: CallHandler<Account> = async (call, dependencies) => {
  const { session } = call;
  const { code } = await readBody(call, verificationCode);
  requireNativeAccount(session, 'code');
  const userApi = await dependencies.loadUserApi();
  const { accessToken } = tokensOf(session);
  await userApi.verifyEmail(accessToken, code);
  return saveAndShow(dependencies, session, null);
};

/**
 * `DELETE /dashboard/api/account`. The user leaves all organizations, where the keys stay, and is deleted before the sessions:
 * if deleting these fails, a repeated call ends them.
 */
export const deleteAccount: CallHandler<null> = async (call, dependencies) => {
  const { session } = call;
  const { accounts } = dependencies;
  const { email } = await readBody(call, emailBody);
  if (!isSameAddress(email, session.record.identity.email)) {
    throw invalidRequestError('email', 'email must be the address of this account, to confirm its deletion');
  }
  const userApi = await dependencies.loadUserApi();
  const { accessToken } = tokensOf(session);
  // First, so that a revoked token or a failing provider ends no membership.
  await userApi.readProfile(accessToken).catch(ignoreDeletedUser);
  await leaveAllOrganizations(leaveDependencies(session, dependencies), session.record.identity);
  await userApi.deleteUser(accessToken).catch(ignoreDeletedUser);
  await endOtherSessions(accounts, session);
  await deleteSession(accounts, session.token);
  // Last, since the renewal of a session saves it.
  await deleteProfile(accounts, session.token.userId);
  dependencies.log.info('account_deleted', { user_id: session.token.userId });
  return noContent(clearSessionCookie());
};

/** An earlier call has deleted the user, and failed later. */
function ignoreDeletedUser(error: unknown): void {
  if (!(error instanceof UserDeletedError)) throw error;
}

function leaveDependencies({ record }: ActiveSession, dependencies: SignInDependencies): LeaveDependencies {
  const { id, name, email } = record.identity;
  const { accounts, directory, auditTable, now } = dependencies;
  return { accounts, directory, audit: createAuditTrail(auditTable, { type: 'user', id, name, email }, now) };
}

/** Updates the copies in the session, since the account may also have been changed in another one. */
async function saveAndShow(
  dependencies: SignInDependencies,
  session: ActiveSession,
  pendingEmail: string | null,
): Promise<DashboardResponse<Account>> {
  const { settings, accounts, loadUserApi } = dependencies;
  const { identity } = session.record;
  const isNative = identity.identityProvider === null;
  const { accessToken } = tokensOf(session);
  const userApi = await loadUserApi();
  const { profile, passkeys } = isNative
    ? await readFactors(userApi, accessToken)
    : { profile: await userApi.readProfile(accessToken), passkeys: [] };
  const { email, name } = profile;
  // As at the sign-in: an address counts only while Cognito says that it is verified.
  if (isNative && refusalOfNativeUser(profile, settings.identityProvider) !== null)
    throw new SessionEndedError();
  const pending = pendingEmail === null || isSameAddress(pendingEmail, email) ? null : pendingEmail;
  if (email !== identity.email || name !== identity.name || pending !== session.record.pendingEmail) {
    // They have the old address until their renewal. First, so that a repeated call ends them after a failure.
    if (email !== identity.email) await endOtherSessions(accounts, session);
    await saveProfile(accounts, { id: identity.id, email, name });
    await updateSessionProfile(accounts, session.token, { email, name, pendingEmail: pending });
  }
  return jsonResponse({
    id: identity.id,
    email,
    pending_email: pending,
    name,
    identity_provider: identity.identityProvider,
    time_zone: await findTimeZone(accounts, identity.id),
    // The company decides about the factors of its users.
    mfa_required: isNative && settings.requireMfa,
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
