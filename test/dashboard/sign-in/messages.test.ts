import { describe, expect, it } from 'vitest';
import { errorMessage } from '#dashboard/sign-in/messages.ts';
import type { SignInFailure } from '#lambdas/accounts/sign-in/navigations.ts';

const failures: Record<SignInFailure, string> = {
  expired: 'The sign-in took too long',
  denied: 'The sign-in was refused',
  email_not_verified: 'Your e-mail address is not verified',
  company_sign_in_required: 'Your company has its own sign-in',
  company_domain_required: 'Acme does not manage this address',
  unavailable: 'The sign-in is unavailable at the moment',
};

describe('errorMessage', () => {
  it.each(Object.entries(failures))('explains the failure %s', (code, title) => {
    expect(errorMessage(code, 'Acme')).toMatchObject({ tone: 'danger', title });
  });

  it('names the button of the company, if the company is known', () => {
    expect(errorMessage('company_sign_in_required', 'Acme').text).toContain('“Continue with Acme”');
    expect(errorMessage('company_domain_required').title).toBe('Your company does not manage this address');
  });

  it('shows the end of a session as a friendly notice', () => {
    expect(errorMessage('signed_out')).toMatchObject({ tone: 'neutral', title: 'Your session has ended' });
  });

  it.each(['', 'other', 'constructor', '<b>'])('does not repeat the unknown code "%s"', (code) => {
    expect(errorMessage(code).title).toBe('You could not be signed in');
  });
});
