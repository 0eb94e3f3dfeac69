/** All routes of the session function. */

import { apiPath, type RoutePath } from '../http/router.ts';
import { changeEmail, changeName, deleteAccount, showAccount, verifyEmail } from './account/endpoints.ts';
import { createTotpSecret, deletePasskey, disableTotp, verifyTotp } from './account/factors.ts';
import type { CallHandler, PublicHandler } from './call.ts';
import { endSession, listSessions, showSession, signOut, signOutEverywhere } from './sessions/endpoints.ts';
import { callbackPath } from './settings.ts';
import { finishSignIn, signOutAtProvider, startSignIn } from './sign-in/navigations.ts';
import { showSignInOptions } from './sign-in/options.ts';

export type Route = RoutePath &
  (
    | {
        /** A navigation of the browser needs no header. A public call needs no session. */
        kind: 'navigation' | 'public call';
        handle: PublicHandler;
      }
    | {
        kind: 'call';
        /** False for a route that also works while the session is due for renewal and the provider unavailable. */
        renews: boolean;
        handle: CallHandler;
      }
  );

export const routes: readonly Route[] = [
  { method: 'GET', path: `${apiPath}/sign-in`, kind: 'navigation', handle: startSignIn },
  { method: 'GET', path: callbackPath, kind: 'navigation', handle: finishSignIn },
  { method: 'GET', path: `${apiPath}/sign-out`, kind: 'navigation', handle: signOutAtProvider },
  { method: 'GET', path: `${apiPath}/sign-in-options`, kind: 'public call', handle: showSignInOptions },
  call('GET', '/session', showSession),
  { ...call('DELETE', '/session', signOut), renews: false },
  call('GET', '/sessions', listSessions),
  call('DELETE', '/sessions', signOutEverywhere),
  call('DELETE', '/sessions/{id}', endSession),
  call('GET', '/account', showAccount),
  call('PATCH', '/account', changeName),
  call('DELETE', '/account', deleteAccount),
  call('POST', '/account/email', changeEmail),
  call('POST', '/account/email/verification', verifyEmail),
  call('DELETE', '/account/passkeys/{id}', deletePasskey),
  call('POST', '/account/totp', createTotpSecret),
  call('DELETE', '/account/totp', disableTotp),
  call('POST', '/account/totp/verification', verifyTotp),
];

function call(method: RoutePath['method'], path: string, handle: CallHandler) {
  return { method, path: apiPath + path, kind: 'call' as const, renews: true, handle };
}

/** The paths to which browsers navigate, and which therefore need no header. */
export const navigations: ReadonlySet<string> = new Set(
  routes.filter(({ kind }) => kind === 'navigation').map(({ path }) => path),
);
