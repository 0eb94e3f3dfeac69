import { clearCookie, setCookie } from '../http/cookies.ts';
import type { DashboardRequest } from '../http/dashboard-request.ts';
import { sessionLifetimeSeconds } from './active-session.ts';
import type { SessionToken } from './token.ts';

const name = '__Host-session';
const sameSite = 'Strict';

export function setSessionCookie({ value }: SessionToken): string {
  return setCookie(name, value, { sameSite, maxAgeSeconds: sessionLifetimeSeconds });
}

export function clearSessionCookie(): string {
  return clearCookie(name, sameSite);
}

export function readSessionCookie({ cookies }: DashboardRequest): string | null {
  return cookies.get(name) ?? null;
}
