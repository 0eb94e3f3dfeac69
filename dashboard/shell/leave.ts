/**
 * Leaving the dashboard: the page navigates to the sign-in service's sign-out, which returns to the start. Notes in the
 * tab's storage say what is shown there, since the address to return to is fixed.
 */
import type { LeaveReason } from '#dashboard/sign-in/messages.ts';

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
