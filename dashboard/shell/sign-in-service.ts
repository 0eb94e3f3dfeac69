/**
 * Addresses of the sign-in service, to which the page navigates. Its sign-out returns to the start: notes in the tab's storage say
 * what is shown there, since the address to return to is fixed.
 */

/** The user ended the session. */
export type LeaveReason = 'signed_out' | 'signed_out_everywhere' | 'account_deleted';

const reasonKey = 'leave-reason';
const returnPathKey = 'return-path';

/** Ends the session at the sign-in service, after the dashboard's own has ended. */
export function leave(reason: LeaveReason): void {
  sessionStorage.setItem(reasonKey, reason);
  location.assign('/dashboard/api/sign-out');
}

/** The same, to continue on a page that is also for people who are not signed in. */
export function leaveAndReturn(path: string): void {
  sessionStorage.setItem(returnPathKey, path);
  location.assign('/dashboard/api/sign-out');
}

export function leaveReason(): LeaveReason | null {
  const reason = sessionStorage.getItem(reasonKey);
  return reason === 'signed_out' || reason === 'signed_out_everywhere' || reason === 'account_deleted'
    ? reason
    : null;
}

export function forgetLeaveReason(): void {
  sessionStorage.removeItem(reasonKey);
}

/** Returns the path that `leaveAndReturn` noted, once. */
export function takeReturnPath(): string | null {
  const path = sessionStorage.getItem(returnPathKey);
  sessionStorage.removeItem(returnPathKey);
  return path;
}

interface SignInStart {
  /** Path of the dashboard to return to. */
  returnTo?: string;
  screen?: 'sign_up';
  /** Domain of a company's identity provider. */
  identityProvider?: string;
  /** The address to sign in with. */
  email?: string;
}

/** Returns the address that starts the sign-in: a full navigation, which leads to the sign-in service. */
export function signInUrl({ returnTo, screen, identityProvider, email }: SignInStart): string {
  const query = new URLSearchParams();
  if (returnTo) query.set('return_to', returnTo);
  if (screen) query.set('screen', screen);
  if (identityProvider) query.set('idp_identifier', identityProvider);
  if (email) query.set('login_hint', email);
  return `/dashboard/api/sign-in${query.size > 0 ? `?${query}` : ''}`;
}
