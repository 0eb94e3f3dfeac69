/** Signatures of fake providers, which show whether a caller has returned them unchanged, and with what they belong to. */
import { createHash } from 'node:crypto';

const checksumOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12);

/** Begins with the first byte of a protobuf, like those of the APIs. */
export function signatureOf(requestId: string, owner: string): string {
  return Buffer.from(`\u0012${requestId} ${checksumOf(`${requestId} ${owner}`)}`).toString('base64');
}

export function isSignatureOf(signature: string, owner: string): boolean {
  const [requestId = ''] = Buffer.from(signature, 'base64').toString().slice(1).split(' ');
  return signature === signatureOf(requestId, owner);
}
