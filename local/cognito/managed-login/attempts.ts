/** Sign-ins that have not finished. They are kept in memory: after a restart, people begin again. */
import type { FederationRequest } from '../openid/federation.ts';

export interface SignInAttempt {
  /** The address that was entered last. */
  email?: string;
  /** User name of an account whose sign-up is to be confirmed. Its password has been verified. */
  unconfirmed?: string;
  /** User name of the account whose password has been verified. */
  authenticated?: string;
  /** Challenge of the latest WebAuthn options. */
  challenge?: string;
  /** The sign-in at the company's identity provider. */
  federation?: FederationRequest;
  /** Shown on the next page. */
  notice?: string;
}

export interface SignInAttempts {
  /** Creates the attempt when there is none. */
  get(interactionId: string): SignInAttempt;
  remove(interactionId: string): void;
}

const maxAttempts = 1000;

export function createSignInAttempts(): SignInAttempts {
  const attempts = new Map<string, SignInAttempt>();
  return {
    get(interactionId) {
      const attempt = attempts.get(interactionId) ?? {};
      attempts.set(interactionId, attempt);
      const [oldest] = attempts.keys();
      if (attempts.size > maxAttempts && oldest !== undefined) attempts.delete(oldest);
      return attempt;
    },
    remove: (interactionId) => void attempts.delete(interactionId),
  };
}
