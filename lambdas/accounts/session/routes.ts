/** All routes of the session function. */
import { changeEmail, changeName, deleteAccount, showAccount, verifyEmail } from './account/endpoints.ts';
import { createTotpSecret, deletePasskey, disableTotp, verifyTotp } from './account/factors.ts';
import type { CallHandler, PublicHandler } from './call.ts';
import { endSession, listSessions, showSession, signOut, signOutEverywhere } from './sessions/endpoints.ts';
import { callbackPath } from './settings.ts';
import { finishSignIn, signOutAtProvider, startSignIn } from './sign-in/navigations.ts';
import { showSignInOptions } from './sign-in/options.ts';

interface RoutePath {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As in the OpenAPI description. Only the last part may be a parameter, `{id}`. */
  path: string;
}

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

const base = '/dashboard/api';

export const routes: readonly Route[] = [
  { method: 'GET', path: `${base}/sign-in`, kind: 'navigation', handle: startSignIn },
  { method: 'GET', path: callbackPath, kind: 'navigation', handle: finishSignIn },
  { method: 'GET', path: `${base}/sign-out`, kind: 'navigation', handle: signOutAtProvider },
  { method: 'GET', path: `${base}/sign-in-options`, kind: 'public call', handle: showSignInOptions },
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
  return { method, path: base + path, kind: 'call' as const, renews: true, handle };
}

export type RouteMatch =
  | { result: 'found'; route: Route; id: string }
  /** `methods` is empty for an unknown path. */
  | { result: 'missing'; methods: string[] };

export function findRoute(method: string, path: string): RouteMatch {
  const atPath = routes.flatMap((route) => {
    const id = matchPath(route.path, path);
    return id === null ? [] : [{ route, id }];
  });
  const found = atPath.find(({ route }) => route.method === method);
  if (found !== undefined) return { result: 'found', ...found };
  return { result: 'missing', methods: atPath.map(({ route }) => route.method) };
}

/** Returns the parameter, which is empty if the pattern has none, or `null` if the path does not match. */
function matchPath(pattern: string, path: string): string | null {
  const [prefix = '', parameter] = pattern.split('{id}');
  if (parameter === undefined) return path === pattern ? '' : null;
  const id = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  return /^[\w-]+$/.test(id) ? id : null;
}
