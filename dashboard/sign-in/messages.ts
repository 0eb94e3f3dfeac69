/** The reasons for which the sign-in page is shown, in plain words. */
import type { LeaveReason } from '#dashboard/shell/sign-in-service.ts';

interface SignInMessage {
  tone: 'neutral' | 'success' | 'danger';
  title: string;
  /** The next step. */
  text: string;
}

const leaveMessages: Record<LeaveReason, SignInMessage> = {
  signed_out: { tone: 'success', title: 'You are signed out', text: 'See you soon.' },
  signed_out_everywhere: {
    tone: 'success',
    title: 'You are signed out everywhere',
    text: 'All sessions on all devices have ended.',
  },
  account_deleted: {
    tone: 'success',
    title: 'Your account has been deleted',
    text: 'Your sessions have ended and your details are gone.',
  },
};

/** @param company name of the identity provider, if it is known */
const errorMessages: Record<string, (company: string) => SignInMessage> = {
  signed_out: () => ({
    tone: 'neutral',
    title: 'Your session has ended',
    text: 'Sign in again to continue where you left off.',
  }),
  expired: () => ({
    tone: 'danger',
    title: 'The sign-in took too long',
    text: 'It was not completed in time, or in another browser. Sign in again.',
  }),
  denied: () => ({
    tone: 'danger',
    title: 'The sign-in was refused',
    text: 'Check that you use the address that was invited. If you do, ask the operator of this gateway.',
  }),
  email_not_verified: () => ({
    tone: 'danger',
    title: 'Your e-mail address is not verified',
    text: 'Sign in again and enter the code that is sent to your address.',
  }),
  company_sign_in_required: (company) => ({
    tone: 'danger',
    title: 'Your company has its own sign-in',
    text: `Addresses of your company cannot use a password here. Choose “Continue with ${company}”.`,
  }),
  company_domain_required: (company) => ({
    tone: 'danger',
    title: `${capitalize(company)} does not manage this address`,
    text: 'Its sign-in is only for addresses of its own domains. Use an address of your company, or choose “Sign in”.',
  }),
  unavailable: () => ({
    tone: 'danger',
    title: 'The sign-in is unavailable at the moment',
    text: 'Nothing is wrong with your account. Wait a minute, then sign in again.',
  }),
};

export function leaveMessage(reason: LeaveReason): SignInMessage {
  return leaveMessages[reason];
}

/** Returns the message for the code that the API or the page put into the address. */
export function errorMessage(code: string, company = 'your company'): SignInMessage {
  const message = Object.hasOwn(errorMessages, code) ? errorMessages[code] : undefined;
  return (
    message?.(company) ?? {
      tone: 'danger',
      title: 'You could not be signed in',
      text: 'Sign in again. If that does not help, ask the operator of this gateway.',
    }
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
