/**
 * Encrypts the tokens of a session with AES-256-GCM. The key derives from the secret in the cookie, so a copy of the table
 * reveals no token. The session's user and hash are authenticated, so sealed tokens cannot be moved to another record.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SessionToken } from './token.ts';

export interface ProviderTokens {
  refreshToken: string;
  accessToken: string;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** Returns IV, authentication tag and ciphertext. */
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
