import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * The value of the session cookie: `<user id>.<secret>`. The table has only its hash, so it cannot serve as a cookie; the
 * user id names the partition, so that all sessions of a user are found by a strongly consistent query.
 */
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

export interface ProviderTokens {
  refreshToken: string;
  accessToken: string;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts the tokens of a session with AES-256-GCM. The key derives from the secret in the cookie, so a copy of the table
 * reveals no token. The session's user and hash are authenticated, so sealed tokens cannot be moved to another record.
 * Returns IV, authentication tag and ciphertext.
 */
export function sealTokens(tokens: ProviderTokens, session: SessionToken): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(session), iv, { authTagLength: tagBytes });
  cipher.setAAD(identityOf(session));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(tokens)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Throws when the bytes were changed, or sealed for another session. */
export function openTokens(sealed: Uint8Array, session: SessionToken): ProviderTokens {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv(algorithm, keyOf(session), bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(identityOf(session));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  const plaintext = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
  return JSON.parse(plaintext.toString());
}

function keyOf({ secret }: SessionToken): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'ai-gateway session tokens', keyBytes));
}

function identityOf({ userId, hash }: SessionToken): Buffer {
  return Buffer.from(`${userId}/${hash}`);
}
