import { createHash, randomBytes } from 'node:crypto';
import type { AuditEvent, Creator } from '#lambdas/audit/record.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import type { Role } from '../permissions.ts';

/** Lets the owner of an e-mail address join an organization. All times are RFC 3339 in UTC with milliseconds. */
export interface Invitation {
  /** Identifies the invitation to members, without the hash under which it is stored. */
  id: string;
  organizationId: string;
  /** SHA-256 of the token in the link. */
  hash: string;
  /** The only address that can accept it, as it was typed. */
  email: string;
  role: Role;
  createdAt: string;
  createdBy: Creator;
  validUntil: string;
  acceptedAt: string | null;
  revokedAt: string | null;
}

/** Names operators to those whom they invite, instead of their AWS identity. */
export const operatorName = 'The administrator of this gateway';

export type InvitationState = 'pending' | 'accepted' | 'expired' | 'revoked';

export const invitationLifetimeMs = 7 * dayMs;

export function invitationState(invitation: Invitation, now: Date): InvitationState {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return Date.parse(invitation.validUntil) > now.getTime() ? 'pending' : 'expired';
}

export function invitationId(hash: string): string {
  return hash.slice(0, 16);
}

/** The secret in the link of an invitation: `<organization id>.<256 random bits>`. The table has only its hash. */
interface InvitationToken {
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

export function invitationCreated(invitation: Invitation): AuditEvent {
  return {
    action: 'invitation.created',
    ...subjectOf(invitation),
    before: null,
    after: valuesOf(invitation),
  };
}

export function invitationRevoked(invitation: Invitation): AuditEvent {
  return {
    action: 'invitation.revoked',
    ...subjectOf(invitation),
    before: valuesOf(invitation),
    after: null,
  };
}

/** Because the user who has sent it has another role now, or is no member any more: `null`. */
export function invitationEndedWithRight(invitation: Invitation, inviterRole: Role | null): AuditEvent {
  return { ...invitationRevoked(invitation), after: { inviter_role: inviterRole } };
}

/** By somebody who is a member already. */
export function invitationUsedUp(invitation: Invitation, now: Date): AuditEvent {
  return { ...invitationRevoked(invitation), after: { accepted_at: now.toISOString() } };
}

function subjectOf({ organizationId, id, email }: Invitation): Pick<AuditEvent, 'organizationId' | 'target'> {
  return { organizationId, target: { type: 'invitation', id, name: email } };
}

function valuesOf({ email, role, validUntil }: Invitation) {
  return { email, role, expires_at: validUntil };
}
