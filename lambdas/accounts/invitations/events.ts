import type { AuditEvent } from '#lambdas/audit/record.ts';
import type { Invitation } from './invitation.ts';

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
