import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { isSameAddress } from '../email-address.ts';
import type { Membership } from '../members/membership.ts';
import { type Invitation, invitationRevoked, invitationState } from './invitation.ts';
import {
  countCreatedInvitations,
  findInvitation,
  invitationEndItems,
  listPendingInvitations,
  noInvitationCreatedSince,
} from './store.ts';

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
      items: invitationEndItems(accounts, current, 'revoked_at', now),
    });
    if (failed.length === 0) return;
    current = await findInvitation(accounts, current);
  }
}

interface MemberInvitations {
  /** One for each invitation. It fails if the invitation is not pending any more. */
  revocations: AuditedChange[];
  /** Fails if the organization has created an invitation since. */
  isComplete: TransactItem;
}

/**
 * For the transaction that ends a membership: the pending invitations with which the member could come back. They are those for
 * the member's address, and those that the member has created, possibly for another own address. `email` is `null` if unknown.
 */
export async function invitationsOfMember(
  accounts: AccountsTable,
  { organizationId, userId }: Membership,
  { email, audit }: { email: string | null; audit: AuditTrail },
): Promise<MemberInvitations> {
  const now = audit.now();
  const created = await countCreatedInvitations(accounts, organizationId);
  const pending = await listPendingInvitations(accounts, organizationId, now);
  const revocations = pending
    .filter(
      ({ email: invited, createdBy }) =>
        (email !== null && isSameAddress(invited, email)) ||
        (createdBy.type === 'user' && createdBy.id === userId),
    )
    .map((invitation) => ({
      event: invitationRevoked(invitation),
      items: invitationEndItems(accounts, invitation, 'revoked_at', now),
    }));
  return { revocations, isComplete: noInvitationCreatedSince(accounts, organizationId, created) };
}
