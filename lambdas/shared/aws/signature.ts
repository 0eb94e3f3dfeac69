/**
 * Signature Version 4 of a POST to the root of a service, with the one day's key kept.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials, ServiceName } from './access.ts';

export interface SignerOptions {
  service: ServiceName;
  region: string;
  /** With the port, where it is not the protocol's own. */
  host: string;
  contentType: string;
  credentials: Credentials;
}

/** The headers of a request for an action of the service, such as `DynamoDB_20120810.PutItem`. */
export type Signer = (action: string, body: string, at: Date) => Record<string, string>;

export function createSigner({ service, region, host, contentType, credentials }: SignerOptions): Signer {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  let kept: { day: string; key: KeyObject } | null = null;
  const keyOf = (day: string): KeyObject => {
    if (kept?.day !== day) {
      const parts = [day, region, service, 'aws4_request'];
      kept = { day, key: parts.reduce(deriveKey, createSecretKey(`AWS4${secretAccessKey}`, 'utf8')) };
    }
    return kept.key;
  };
  const token: Record<string, string> =
    sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const tokenLine = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`;
  // In the order of their names.
  const signed = ['content-type', 'host', 'x-amz-date', ...Object.keys(token), 'x-amz-target'].join(';');
  return (action, body, at) => {
    const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${tokenLine}x-amz-target:${action}\n`;
    const request = `POST\n/\n\n${lines}\n${signed}\n${hash('sha256', body)}`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', request)}`;
    const signature = createHmac('sha256', keyOf(day)).update(text).digest('hex');
    return {
      'content-type': contentType,
      host,
      'x-amz-date': time,
      ...token,
      'x-amz-target': action,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    };
  };
}

/** A key object: to sign with the bytes of a key takes five times as long. */
function deriveKey(key: KeyObject, part: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(part).digest());
}
