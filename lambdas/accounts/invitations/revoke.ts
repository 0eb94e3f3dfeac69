import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { invitationRevoked } from './events.ts';
import { type Invitation, invitationState } from './invitation.ts';
import type { InvitationStore } from './store.ts';

/**
 * Does nothing for an invitation that is revoked or has expired. Throws a `GatewayError` (409) if it has been accepted, also
 * at the same time.
 */
export async function revokeInvitation(
  invitations: InvitationStore,
  invitation: Invitation,
  audit: AuditTrail,
): Promise<void> {
  let current: Invitation | null = invitation;
  while (current !== null) {
    const now = audit.now();
    const state = invitationState(current, now);
    if (state === 'accepted') {
      throw new GatewayError('conflict', {
        message: 'This invitation has already been accepted: remove the member instead',
      });
    }
    if (state !== 'pending') return;
    const failed = await audit.transact({
      event: invitationRevoked(current),
      items: invitations.endItems(current, 'revoked_at', now),
    });
    if (failed.length === 0) return;
    current = await invitations.find(current);
  }
}
