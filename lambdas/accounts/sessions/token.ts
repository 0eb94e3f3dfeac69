/**
 * The value of the session cookie: `<user id>.<secret>`. The table has only its hash, so it cannot serve as a cookie; the
 * user id names the partition, so that all sessions of a user are found by a strongly consistent query.
 */
import { createHash, randomBytes } from 'node:crypto';

export interface SessionToken {
  userId: string;
  /** 256 random bits, stored nowhere but in the browser. The encryption key of the session's tokens derives from it. */
  secret: Buffer;
  /** SHA-256 of the whole value, in hexadecimal digits. */
  hash: string;
  value: string;
}

const secretBytes = 32;
const pattern = /^([\w-]{1,128})\.([\w-]{43})$/;

export function createSessionToken(userId: string): SessionToken {
  const token = parseSessionToken(`${userId}.${randomBytes(secretBytes).toString('base64url')}`);
  if (token === null) throw new Error('The user id cannot be part of a cookie');
  return token;
}

/** Returns `null` for text that cannot be the value of a session cookie. */
export function parseSessionToken(value: string): SessionToken | null {
  const [, userId, encodedSecret] = pattern.exec(value) ?? [];
  if (userId === undefined || encodedSecret === undefined) return null;
  const hash = createHash('sha256').update(value).digest('hex');
  return { userId, secret: Buffer.from(encodedSecret, 'base64url'), hash, value };
}
