/**
 * Leaving the dashboard: the page navigates to the sign-in service's sign-out, which returns to the sign-in page. A note
 * in the tab's storage tells that page why it is shown, since the address to return to is fixed.
 */
import type { LeaveReason } from '#dashboard/sign-in/messages.ts';

const storageKey = 'leave-reason';

/** Ends the session at the sign-in service, after the dashboard's own has ended. */
export function leave(reason: LeaveReason): void {
  sessionStorage.setItem(storageKey, reason);
  location.assign('/dashboard/api/sign-out');
}

export function leaveReason(): LeaveReason | null {
  const reason = sessionStorage.getItem(storageKey);
  return reason === 'signed_out' || reason === 'signed_out_everywhere' || reason === 'account_deleted'
    ? reason
    : null;
}

export function forgetLeaveReason(): void {
  sessionStorage.removeItem(storageKey);
}
