/** Time-based one-time passwords (RFC 6238): 6 digits, 30 seconds. */
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { UserPoolSettings } from '../settings/user-pool.ts';
import type { User } from './state.ts';
import { emailOf, type Users } from './users.ts';

const periodSeconds = 30;

/** Whether a sign-in with a password asks for a code. */
export function usesTotp({ mfa }: UserPoolSettings, { totp }: User): boolean {
  return totp !== undefined && (mfa === 'ON' || (mfa === 'OPTIONAL' && totp.enabled));
}

/** Returns a new secret. Until its first code is verified, the former one stays in use. */
export function associateTotp(users: Users, user: User): string {
  const secret = generateSecret();
  users.update(user, { new_totp_secret: secret });
  return secret;
}

/** The content of the QR code that authenticator apps read. */
export function totpUri(user: User, secret: string): string {
  return generateURI({ issuer: 'AI gateway (local)', label: emailOf(user), secret });
}

interface TotpCode {
  code: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** Returns `false` for a wrong code. */
export function verifyNewTotp(users: Users, user: User, code: TotpCode): boolean {
  const { new_totp_secret: secret, totp } = user;
  if (secret === undefined) return false;
  const timeStep = matchingTimeStep(secret, code);
  if (timeStep === undefined) return false;
  const enabled = totp?.enabled ?? false;
  users.update(user, { totp: { secret, enabled, last_time_step: timeStep }, new_totp_secret: undefined });
  return true;
}

/** Returns `false` for a wrong code and for one that has been used. */
export function verifyTotp(users: Users, user: User, code: TotpCode): boolean {
  const { totp } = user;
  if (totp === undefined) return false;
  const timeStep = matchingTimeStep(totp.secret, code);
  if (timeStep === undefined || timeStep <= totp.last_time_step) return false;
  users.update(user, { totp: { ...totp, last_time_step: timeStep } });
  return true;
}

/** Accepts the code of the period before and after, since clocks differ. */
function matchingTimeStep(secret: string, { code, now }: TotpCode): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const epoch = Math.floor(now / 1000);
  const result = verifySync({ secret, token, epoch, epochTolerance: periodSeconds });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}
