/** The secret in the link of an invitation: `<organization id>.<256 random bits>`. The table has only its hash. */
import { createHash, randomBytes } from 'node:crypto';

export interface InvitationToken {
  organizationId: string;
  /** SHA-256 of the whole value, in hexadecimal digits. */
  hash: string;
  value: string;
}

const secretBytes = 32;
const pattern = /^([\w-]{1,64})\.[\w-]{43}$/;

export function createInvitationToken(organizationId: string): InvitationToken {
  const token = parseInvitationToken(`${organizationId}.${randomBytes(secretBytes).toString('base64url')}`);
  if (token === null) throw new Error('The organization id cannot be part of a link');
  return token;
}

/** Returns `null` for text that cannot be the token of an invitation. */
export function parseInvitationToken(value: string): InvitationToken | null {
  const organizationId = pattern.exec(value)?.[1];
  if (organizationId === undefined) return null;
  return { organizationId, hash: createHash('sha256').update(value).digest('hex'), value };
}
