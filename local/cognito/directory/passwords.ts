import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { PasswordPolicy } from '../settings/user-pool.ts';

interface PasswordHash {
  salt: string;
  hash: string;
}

/** A low cost, since the accounts exist on this machine only. */
const scryptOptions = { N: 1024 };
const hashBytes = 32;

export function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16).toString('base64url');
  return { salt, hash: scryptSync(password, salt, hashBytes, scryptOptions).toString('base64url') };
}

export function matchesPassword(password: string, { salt, hash }: PasswordHash): boolean {
  const actual = scryptSync(password, salt, hashBytes, scryptOptions);
  return timingSafeEqual(actual, Buffer.from(hash, 'base64url'));
}

export interface PasswordRule {
  /** For the person who chooses a password. */
  rule: string;
  /** Cognito's message for a password that breaks the rule. */
  violation: string;
  followed: boolean;
}

/** Returns the rules of the policy, with whether the password follows them. */
export function checkPassword(password: string, policy: PasswordPolicy): PasswordRule[] {
  const matches = (pattern: RegExp) => pattern.test(password);
  const rules = [
    {
      rule: `At least ${policy.minLength} characters`,
      violation: 'Password not long enough',
      followed: password.length >= policy.minLength,
    },
    policy.lowercase && {
      rule: 'A lower case letter',
      violation: 'Password must have lowercase characters',
      followed: matches(/[a-z]/),
    },
    policy.uppercase && {
      rule: 'An upper case letter',
      violation: 'Password must have uppercase characters',
      followed: matches(/[A-Z]/),
    },
    policy.numbers && {
      rule: 'A digit',
      violation: 'Password must have numeric characters',
      followed: matches(/\d/),
    },
    policy.symbols && {
      rule: 'A symbol, such as ! or -',
      violation: 'Password must have symbol characters',
      followed: matches(/[-^$*.[\]{}()?"!@#%&/\\,><':;|_~`=+ ]/),
    },
  ];
  return rules.filter((rule) => rule !== false);
}
