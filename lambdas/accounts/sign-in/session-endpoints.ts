/** The session of the page, and the other sessions of its user. */

import { GatewayError } from '#lambdas/platform/errors.ts';
import { jsonResponse, noContent } from '../http/response.ts';
import { findTimeZone } from '../members/profiles.ts';
import { clearSessionCookie, hasEnded, SessionEndedError, tokensOf } from '../sessions/active-session.ts';
import { endOtherSessions, revokeTokens } from '../sessions/lifecycle.ts';
import { deleteSession, keyOf, listSessionsOfUser, type SessionRecord } from '../sessions/store.ts';
import type { CallHandler, PublicHandler } from './call.ts';
import type { Session, SessionList, SignInResponses } from './responses.ts';

/** `GET /dashboard/api/session` */
export const showSession: CallHandler<Session> = async ({ session: { record } }, { accounts }) => {
  const { id, email, name, identityProvider } = record.identity;
  return jsonResponse({
    user: { id, email, name, identity_provider: identityProvider },
    signed_in_at: record.signedInAt,
    expires_at: expiryOf(record),
    time_zone: await findTimeZone(accounts, id),
  });
};

/** `DELETE /dashboard/api/session`. Takes effect even while the provider is unavailable. */
export const signOut: CallHandler<null> = async ({ session }, dependencies) => {
  await deleteSession(dependencies.accounts, keyOf(session.record));
  await revokeTokens(dependencies, tokensOf(session));
  return noContent(clearSessionCookie());
};

/** `GET /dashboard/api/sessions`, newest first. */
export const listSessions: CallHandler<SessionList> = async ({ session }, { accounts, now }) => {
  const records = await listSessionsOfUser(accounts, session.token.userId);
  const data = records
    .filter((record) => !hasEnded(record, now()))
    .sort((one, other) => Date.parse(other.signedInAt) - Date.parse(one.signedInAt))
    .map((record) => ({
      id: publicId(record),
      current: record.hash === session.token.hash,
      user_agent: record.userAgent,
      signed_in_at: record.signedInAt,
      last_renewed_at: record.lastRenewedAt,
      expires_at: expiryOf(record),
    }));
  return jsonResponse({ object: 'list', data });
};

/** `DELETE /dashboard/api/sessions/{id}` */
export const endSession: CallHandler<null> = async (call, dependencies) => {
  const records = await listSessionsOfUser(dependencies.accounts, call.session.token.userId);
  const record = records.find((candidate) => publicId(candidate) === call.parameters.id);
  if (record === undefined) throw new GatewayError('not_found', { message: 'There is no such session' });
  if (record.hash === call.session.token.hash) return signOut(call, dependencies);
  await deleteSession(dependencies.accounts, keyOf(record));
  return noContent();
};

/**
 * `DELETE /dashboard/api/sessions` signs out everywhere. The own session is deleted last: if the provider is unavailable,
 * the user can repeat the call. The others are deleted a second time after their tokens were revoked, for sign-ins that
 * were in progress; a later one has revoked tokens, and ends at its renewal.
 */
export const signOutEverywhere: CallHandler<null> = async ({ session }, dependencies) => {
  await endOtherSessions(dependencies.accounts, session);
  const userApi = await dependencies.loadUserApi();
  await userApi.signOutEverywhere(tokensOf(session).accessToken).catch((error: unknown) => {
    // The tokens have been revoked before.
    if (!(error instanceof SessionEndedError)) throw error;
  });
  await endOtherSessions(dependencies.accounts, session);
  await deleteSession(dependencies.accounts, session.token);
  return noContent(clearSessionCookie());
};

/** Identifies a session to its user, without the hash under which it is stored. */
function publicId({ hash }: SessionRecord): string {
  return hash.slice(0, 16);
}

function expiryOf({ expiresAt }: SessionRecord): string {
  return new Date(expiresAt * 1000).toISOString();
}

/** `GET /dashboard/api/sign-in-options` */
export const showSignInOptions: PublicHandler<SignInResponses['GET /sign-in-options']> = async (
  _request,
  { settings },
) => {
  const { signUp, identityProvider } = settings;
  return jsonResponse({
    sign_up: signUp,
    identity_provider: identityProvider && {
      name: identityProvider.name,
      // Any of the domains leads to the provider. The settings require one.
      idp_identifier: identityProvider.domains[0] ?? '',
      domains: identityProvider.domains,
    },
  });
};
