/** Codes that prove that a person reads the mail of an address. */

import { randomInt } from 'node:crypto';
import { hourMs } from '#lambdas/platform/duration.ts';
import { CognitoError } from '../cognito-error.ts';
import type { Mailbox } from '../mailbox.ts';
import type { UserPoolSettings } from '../settings/user-pool.ts';
import type { CodePurpose, User } from './state.ts';
import { emailOf, type Users } from './users.ts';

export interface Codes {
  /** Replaces an earlier code for the same purpose. The address is the user's by default. */
  send(user: User, purpose: CodePurpose, address?: string): void;
  /** Throws `CodeMismatchException` or `ExpiredCodeException`. A code can be used once. */
  verify(user: User, purpose: CodePurpose, code: string): void;
}

const lifetimeMs: Record<CodePurpose, number> = {
  'sign up': 24 * hourMs,
  password: hourMs,
  email: 24 * hourMs,
};

export function createCodes(options: {
  users: Users;
  mailbox: Mailbox;
  settings: UserPoolSettings;
  now: () => number;
}): Codes {
  const { users, mailbox, settings, now } = options;
  return {
    send(user, purpose, address = emailOf(user)) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const expiresAt = now() + lifetimeMs[purpose];
      users.update(user, { codes: { ...user.codes, [purpose]: { code, expires_at: expiresAt } } });
      const { subject, text } = settings.codeMail;
      mailbox.send({ to: address, subject, text: text.replaceAll('{####}', code), code });
    },
    verify(user, purpose, code) {
      const expected = user.codes[purpose];
      if (expected === undefined || expected.expires_at <= now()) {
        throw new CognitoError('ExpiredCodeException', 'Invalid code provided, please request a code again.');
      }
      if (expected.code !== code.replaceAll(/\s/g, '')) {
        throw new CognitoError(
          'CodeMismatchException',
          'Invalid verification code provided, please try again.',
        );
      }
      const { [purpose]: _, ...others } = user.codes;
      users.update(user, { codes: others });
    },
  };
}
