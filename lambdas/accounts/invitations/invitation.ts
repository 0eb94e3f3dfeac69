import type { Creator } from '#lambdas/audit/record.ts';
import type { Role } from '../permissions.ts';

/** Lets the owner of an e-mail address join an organization. All times are RFC 3339 in UTC with milliseconds. */
export interface Invitation {
  /** Identifies the invitation to members, without the hash under which it is stored. */
  id: string;
  organizationId: string;
  /** SHA-256 of the token in the link. */
  hash: string;
  /** The only address that can accept it, in lower case. */
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

export const invitationLifetimeMs = 7 * 86_400_000;

export function invitationState(invitation: Invitation, now: Date): InvitationState {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return Date.parse(invitation.validUntil) > now.getTime() ? 'pending' : 'expired';
}

export function invitationId(hash: string): string {
  return hash.slice(0, 16);
}
