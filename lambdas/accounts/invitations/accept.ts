/** Accepts an invitation. */

import { type DirectoryReader, exists, type Organization } from '#lambdas/access/directory.ts';
import { checkItem, type DirectoryTable } from '#lambdas/access/directory-table.ts';
import { organizationKey } from '#lambdas/access/item-keys.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { isSameAddress } from '../email-address.ts';
import type { Identity } from '../identity.ts';
import { type Membership, memberEvent } from '../members/membership.ts';
import { findMembership, joinItems } from '../members/store.ts';
import type { Role } from '../permissions.ts';
import {
  type Invitation,
  type InvitationState,
  invitationState,
  invitationUsedUp,
  parseInvitationToken,
} from './invitation.ts';
import { readInviterRight } from './inviter.ts';
import { revokeWithEndedRight } from './revoke.ts';
import { findInvitation, invitationEndItems } from './store.ts';

interface InvitationReader {
  accounts: AccountsTable;
  directory: Pick<DirectoryReader, 'findOrganization'>;
}

interface AcceptDependencies extends InvitationReader {
  directoryTable: DirectoryTable;
}

interface FoundInvitation {
  invitation: Invitation;
  organization: Organization;
}

/** The state as it is shown: `revoked` also for an invitation whose sender may not invite any more. */
export async function readOfferState(
  accounts: AccountsTable,
  invitation: Invitation,
  now: Date,
): Promise<InvitationState> {
  const state = invitationState(invitation, now);
  if (state !== 'pending') return state;
  const { isLasting } = await readInviterRight(accounts, invitation);
  return isLasting ? 'pending' : 'revoked';
}

/** Throws a `GatewayError` (404) if there is no such invitation, or no such organization any more. */
export async function requireInvitation(
  { accounts, directory }: InvitationReader,
  tokenText: string,
): Promise<FoundInvitation> {
  const token = parseInvitationToken(tokenText);
  const invitation = token && (await findInvitation(accounts, token));
  const organization = invitation && (await directory.findOrganization(invitation.organizationId));
  if (invitation === null || !exists(organization)) {
    throw new GatewayError('not_found', {
      message: 'There is no such invitation: copy the whole link, or ask for a new one',
    });
  }
  return { invitation, organization };
}

const refusals: Record<Exclude<InvitationState, 'pending'>, string> = {
  accepted: 'This invitation has already been used: ask for a new one',
  expired: 'This invitation has expired: ask for a new one',
  revoked: 'This invitation has been revoked: ask for a new one',
};

/**
 * Returns the organization and the role of the user, who may be a member already: the invitation is then used up as well. Throws
 * a `GatewayError`: 403 for another address, 404 like `requireInvitation`, 409 for an invitation that cannot be accepted any more.
 * One whose sender may not invite any more is revoked.
 */
export async function acceptInvitation(
  dependencies: AcceptDependencies,
  { tokenText, user, audit }: { tokenText: string; user: Identity; audit: AuditTrail },
): Promise<{ organization: Organization; role: Role }> {
  const { accounts, directoryTable } = dependencies;
  for (;;) {
    const { invitation, organization } = await requireInvitation(dependencies, tokenText);
    const { organizationId, email, role } = invitation;
    if (!isSameAddress(email, user.email)) {
      throw new GatewayError('forbidden', {
        message: `This invitation is for ${email}: sign in with that address to accept it`,
      });
    }
    const existing = await findMembership(accounts, organizationId, user.id);
    const now = audit.now();
    const state = invitationState(invitation, now);
    const inviter = await readInviterRight(accounts, invitation);
    if (state === 'pending' && !inviter.isLasting) {
      await revokeWithEndedRight(accounts, invitation, { ...inviter, audit });
      continue;
    }
    const endItems = invitationEndItems(accounts, invitation, 'accepted_at', now);
    if (existing !== null) {
      if (state !== 'pending') return { organization, role: existing.role };
      const failed = await audit.transact({ event: invitationUsedUp(invitation, now), items: endItems });
      if (failed.length === 0) return { organization, role: existing.role };
      continue;
    }
    if (state !== 'pending') throw new GatewayError('conflict', { message: refusals[state] });
    const membership: Membership = { organizationId, userId: user.id, role, joinedAt: now.toISOString() };
    const failed = await audit.transact({
      event: memberEvent('member.joined', membership, user, {
        before: null,
        after: { role, invitation_id: invitation.id },
      }),
      items: [
        ...endItems,
        ...joinItems(accounts, membership),
        checkItem(directoryTable, organizationKey(organizationId), { deleted_at: undefined }),
        ...inviter.checks,
      ],
    });
    if (failed.length === 0) return { organization, role };
  }
}
