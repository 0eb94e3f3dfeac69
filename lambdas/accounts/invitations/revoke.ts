import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { isSameAddress } from '../email-address.ts';
import type { Membership } from '../members/membership.ts';
import type { Role } from '../permissions.ts';
import {
  type Invitation,
  invitationEndedWithRight,
  invitationRevoked,
  invitationState,
} from './invitation.ts';
import { mayInvite } from './inviter.ts';
import { findInvitation, invitationEndItems, listPendingInvitations } from './store.ts';

/**
 * Does nothing for an invitation that is revoked or has expired. Throws a `GatewayError` (409) if it has been accepted, also
 * at the same time.
 */
export async function revokeInvitation(
  accounts: AccountsTable,
  invitation: Invitation,
  audit: AuditTrail,
): Promise<void> {
  let current: Invitation | null = invitation;
  while (current !== null) {
    const state = invitationState(current, audit.now());
    if (state === 'accepted') {
      throw new GatewayError('conflict', {
        message: 'This invitation has already been accepted: remove the member instead',
      });
    }
    if (state !== 'pending') return;
    if (await revoke(accounts, current, audit)) return;
    current = await findInvitation(accounts, current);
  }
}

interface EndingRight {
  /** The member's next role; `null` for a membership that ends. */
  role: Role | null;
  /** The member's own address, whose invitations end as well; `null` for none. */
  email: string | null;
  audit: AuditTrail;
}

/**
 * Revokes the pending invitations that a member may not send any more, each with its audit record, before the member's right
 * ends: if this is interrupted, its repetition goes on. Invitations that are created meanwhile cannot be accepted.
 */
export async function revokeInvitationsOf(
  accounts: AccountsTable,
  { organizationId, userId }: Pick<Membership, 'organizationId' | 'userId'>,
  { role, email, audit }: EndingRight,
): Promise<void> {
  for (const invitation of await listPendingInvitations(accounts, organizationId, audit.now())) {
    const { createdBy } = invitation;
    const isSender = createdBy.type === 'user' && createdBy.id === userId;
    if (isSender && !mayInvite(role, invitation.role)) {
      await revokeWithEndedRight(accounts, invitation, { role, audit });
    } else if (email !== null && isSameAddress(invitation.email, email)) {
      await revoke(accounts, invitation, audit);
    }
  }
}

/**
 * Revokes an invitation because its sender, who has this role now, may not invite any more. Does nothing if it is not pending
 * any more, or if a condition fails.
 */
export async function revokeWithEndedRight(
  accounts: AccountsTable,
  invitation: Invitation,
  { role, audit, checks = [] }: { role: Role | null; audit: AuditTrail; checks?: readonly TransactItem[] },
): Promise<void> {
  await audit.transact({
    event: invitationEndedWithRight(invitation, role),
    items: [...invitationEndItems(accounts, invitation, 'revoked_at', audit.now()), ...checks],
  });
}

/** Whether the invitation was pending. */
async function revoke(accounts: AccountsTable, invitation: Invitation, audit: AuditTrail): Promise<boolean> {
  const failed = await audit.transact({
    event: invitationRevoked(invitation),
    items: invitationEndItems(accounts, invitation, 'revoked_at', audit.now()),
  });
  return failed.length === 0;
}
