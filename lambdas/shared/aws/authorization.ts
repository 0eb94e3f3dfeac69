/**
 * The last step of Signature Version 4, the same for every request, with the one day's key kept.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials } from './access.ts';

export interface SigningScope {
  /** As signatures name it. */
  service: string;
  region: string;
  credentials: Credentials;
}

export interface CanonicalRequest {
  /** As `signingTime` writes it. */
  time: string;
  /** The names of the signed headers. */
  signed: string;
  text: string;
}

/** The value of the header `authorization`. */
export type Authorize = (request: CanonicalRequest) => string;

export function createAuthorize({ service, region, credentials }: SigningScope): Authorize {
  const { accessKeyId, secretAccessKey } = credentials;
  let kept: { day: string; key: KeyObject } | null = null;
  const keyOf = (day: string): KeyObject => {
    if (kept?.day !== day) {
      const parts = [day, region, service, 'aws4_request'];
      kept = { day, key: parts.reduce(deriveKey, createSecretKey(`AWS4${secretAccessKey}`, 'utf8')) };
    }
    return kept.key;
  };
  return ({ time, signed, text }) => {
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', text)}`;
    const signature = createHmac('sha256', keyOf(day)).update(toSign).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  };
}

export function signingTime(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** A key object: to sign with the bytes of a key takes five times as long. */
function deriveKey(key: KeyObject, part: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(part).digest());
}
