/** The cookie that connects the callback with the browser that began the sign-in. */

import { objectOrEmpty, parseJson, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { clearCookie, setCookie } from '../http/cookies.ts';
import type { DashboardRequest } from '../http/request.ts';
import type { AuthorizationChecks } from './provider.ts';

export interface StartedSignIn extends AuthorizationChecks {
  returnTo: string;
  /** Whether it went straight to the company's identity provider. */
  isThroughCompany: boolean;
}

const name = '__Host-sign-in';

/** Lax, since the callback is a navigation that begins on the provider's site. */
const sameSite = 'Lax';

const lifetimeSeconds = 600;

export function setSignInCookie(signIn: StartedSignIn): string {
  const value = Buffer.from(JSON.stringify(signIn)).toString('base64url');
  return setCookie(name, value, { sameSite, maxAgeSeconds: lifetimeSeconds });
}

export function clearSignInCookie(): string {
  return clearCookie(name, sameSite);
}

/** Returns `null` without a complete cookie. The browser may have changed it, so `returnTo` has to be checked again. */
export function readSignInCookie({ cookies }: DashboardRequest): StartedSignIn | null {
  const text = Buffer.from(cookies.get(name) ?? '', 'base64url').toString();
  const { state, nonce, codeVerifier, returnTo, isThroughCompany } = objectOrEmpty(parseJson(text));
  const signIn = {
    state: stringOrEmpty(state),
    nonce: stringOrEmpty(nonce),
    codeVerifier: stringOrEmpty(codeVerifier),
    returnTo: stringOrEmpty(returnTo),
  };
  if (Object.values(signIn).includes('')) return null;
  return { ...signIn, isThroughCompany: isThroughCompany === true };
}
