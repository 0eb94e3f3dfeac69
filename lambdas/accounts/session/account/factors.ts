/** Passkeys and authenticator apps of accounts that sign in at the user pool itself. */

import { jsonResponse, noContent } from '#lambdas/accounts/http/dashboard-response.ts';
import { readBody } from '#lambdas/accounts/http/read-body.ts';
import { tokensOf } from '#lambdas/accounts/sessions/active-session.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import type { CallHandler } from '../call.ts';
import type { TotpSetup } from '../responses.ts';
import { readFactors } from './read-factors.ts';
import { requireNativeAccount } from './require-native.ts';
import { verificationCode } from './verification-code.ts';

/** Authenticator apps show it above the code. */
const issuer = 'AI gateway';

/** `DELETE /dashboard/api/account/passkeys/{id}` */
export const deletePasskey: CallHandler = async ({ session, parameters: { id = '' } }, { loadUserApi }) => {
  requireNativeAccount(session, 'id');
  const userApi = await loadUserApi();
  const { accessToken } = tokensOf(session);
  await userApi.deletePasskey(accessToken, id);
  await readFactors(userApi, accessToken);
  return noContent();
};

/** `POST /dashboard/api/account/totp` */
export const createTotpSecret: CallHandler = async ({ session }, { loadUserApi }) => {
  requireNativeAccount(session, 'totp');
  const userApi = await loadUserApi();
  const secret = await userApi.createTotpSecret(tokensOf(session).accessToken);
  return jsonResponse<TotpSetup>({ secret, uri: totpUri(session.record.identity.email, secret) });
};

/** `POST /dashboard/api/account/totp/verification` */
export const verifyTotp: CallHandler = async (call, { loadUserApi }) => {
  const { code } = await readBody(call, verificationCode);
  requireNativeAccount(call.session, 'code');
  const userApi = await loadUserApi();
  const { accessToken } = tokensOf(call.session);
  await userApi.enableTotp(accessToken, code);
  await readFactors(userApi, accessToken);
  return noContent();
};

/** `DELETE /dashboard/api/account/totp` */
export const disableTotp: CallHandler = async ({ session }, { settings, loadUserApi }) => {
  requireNativeAccount(session, 'totp');
  if (settings.mfaRequired) {
    throw invalidRequest('totp', 'This gateway requires a second factor: set up another app instead');
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
