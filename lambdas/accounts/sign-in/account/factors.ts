/** Passkeys and authenticator apps of accounts that sign in at the user pool itself. */

import * as z from 'zod/mini';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { jsonResponse, noContent } from '#lambdas/accounts/http/response.ts';
import { type ActiveSession, tokensOf } from '#lambdas/accounts/sessions/active-session.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { CallHandler } from '../call.ts';
import type { TotpSetup } from '../responses.ts';
import type { Passkey, UserApi, UserProfile } from './user-api.ts';

/** Authenticator apps show it above the code. */
const issuer = 'AI gateway';

/** `DELETE /dashboard/api/account/passkeys/{id}` */
export const deletePasskey: CallHandler<null> = async (
  { session, parameters: { id = '' } },
  { loadUserApi },
) => {
  requireNativeAccount(session, 'id');
  const userApi = await loadUserApi();
  const { accessToken } = tokensOf(session);
  await userApi.deletePasskey(accessToken, id);
  await readFactors(userApi, accessToken);
  return noContent();
};

/** `POST /dashboard/api/account/totp` */
export const createTotpSecret: CallHandler<TotpSetup> = async ({ session }, { loadUserApi }) => {
  requireNativeAccount(session, 'totp');
  const userApi = await loadUserApi();
  const secret = await userApi.createTotpSecret(tokensOf(session).accessToken);
  return jsonResponse({ secret, uri: totpUri(session.record.identity.email, secret) });
};

/** The body of requests that verify a code, from an e-mail or an authenticator app. */
export const verificationCode = z.strictObject({
  code: z
    .string({ error: 'code must be text' })
    .check(z.regex(/^\d{6}$/, { error: 'code must have 6 digits' })),
});

/** `POST /dashboard/api/account/totp/verification` */
export const verifyTotp: CallHandler<null> = async (call, { loadUserApi }) => {
  const { code } = await readBody(call, verificationCode);
  requireNativeAccount(call.session, 'code');
  const userApi = await loadUserApi();
  const { accessToken } = tokensOf(call.session);
  await userApi.enableTotp(accessToken, code);
  await readFactors(userApi, accessToken);
  return noContent();
};

/** `DELETE /dashboard/api/account/totp` */
export const disableTotp: CallHandler<null> = async ({ session }, { settings, loadUserApi }) => {
  requireNativeAccount(session, 'totp');
  if (settings.requireMfa) {
    throw invalidRequestError('totp', 'This gateway requires a second factor: set up another app instead');
  }
  const userApi = await loadUserApi();
  await userApi.disableTotp(tokensOf(session).accessToken);
  return noContent();
};

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
function totpUri(email: string, secret: string): string {
  const name = encodeURIComponent(issuer);
  return `otpauth://totp/${name}:${encodeURIComponent(email)}?secret=${secret}&issuer=${name}`;
}

/**
 * Returns the profile and passkeys of a native user. Multi-factor authentication applies to a user with TOTP, whom Cognito
 * then lets sign in with a passkey alone only if the user's own settings say so. They follow the passkeys here, since
 * managed login, where passkeys are added, does not change them.
 */
export async function readFactors(
  userApi: UserApi,
  accessToken: string,
): Promise<{ profile: UserProfile; passkeys: Passkey[] }> {
  const [profile, passkeys] = await Promise.all([
    userApi.readProfile(accessToken),
    userApi.listPasskeys(accessToken),
  ]);
  const isWanted = profile.isTotpEnabled && passkeys.length > 0;
  if (isWanted !== profile.isPasskeyMfaEnabled) await userApi.setPasskeyMfa(accessToken, isWanted);
  return { profile, passkeys };
}

/** Throws a `GatewayError` (400) for a user of the company's identity provider, which alone can change the account. */
export function requireNativeAccount({ record }: ActiveSession, param: string): void {
  const { identityProvider } = record.identity;
  if (identityProvider === null) return;
  throw invalidRequestError(param, `You sign in through ${identityProvider}: change this there`);
}
