/** Invites somebody to an organization. */

import { checkItem, type DirectoryTable, findRecord } from '#lambdas/access/directory-table.ts';
import { organizationKey } from '#lambdas/access/item-keys.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { isSameAddress } from '../email-address.ts';
import { findProfiles } from '../members/profiles.ts';
import { listMembershipsOfOrganization } from '../members/store.ts';
import type { Role } from '../permissions.ts';
import {
  createInvitationToken,
  type Invitation,
  invitationCreated,
  invitationId,
  invitationLifetimeMs,
  invitationRevoked,
  invitationState,
} from './invitation.ts';
import {
  findInvitation,
  findInvitationHash,
  invitationCreationItems,
  invitationReplacementItems,
  listPendingInvitations,
} from './store.ts';

interface InviteDependencies {
  accounts: AccountsTable;
  directoryTable: DirectoryTable;
  audit: AuditTrail;
  /** Without a trailing slash. */
  dashboardOrigin: string;
}

interface InvitationRequest {
  organizationId: string;
  organizationName: string;
  email: string;
  role: Role;
}

interface IssuedInvitation {
  invitation: Invitation;
  /** The link, which nothing else has: it must be shown now. */
  url: string;
}

/** Each is an e-mail that somebody may not have asked for. */
const maxPendingInvitations = 100;

/**
 * Replaces a pending invitation of the organization for the same address. Throws a `GatewayError` (409) if a member has the
 * address, or too many invitations are pending, and 404 if the organization does not exist or is deleted.
 */
export async function inviteMember(
  { accounts, directoryTable, audit, dashboardOrigin }: InviteDependencies,
  { organizationId, organizationName, email, role }: InvitationRequest,
): Promise<IssuedInvitation> {
  for (;;) {
    await requireActiveOrganization(directoryTable, organizationId);
    const replacedHash = await findInvitationHash(accounts, organizationId, email);
    // Read afterwards: an invitation that was accepted in between has added its member.
    if (await isMember(accounts, organizationId, email)) {
      throw new GatewayError('conflict', {
        param: 'email',
        message: `${email} is already a member of ${organizationName}`,
      });
    }
    const now = audit.now();
    const { hash, value } = createInvitationToken(organizationId);
    const invitation: Invitation = {
      id: invitationId(hash),
      organizationId,
      hash,
      email,
      role,
      createdAt: now.toISOString(),
      createdBy: creatorOf(audit.actor),
      validUntil: new Date(now.getTime() + invitationLifetimeMs).toISOString(),
      acceptedAt: null,
      revokedAt: null,
    };
    const replaced = await findPending(accounts, { organizationId, hash: replacedHash, now });
    if (replaced === null) await requireBelowPendingLimit(accounts, organizationId, now);
    const failed = await audit.transact(...replacementOf(accounts, replaced, now), {
      event: invitationCreated(invitation),
      items: [
        ...invitationCreationItems(accounts, invitation, replacedHash),
        checkItem(directoryTable, organizationKey(organizationId), { deleted_at: undefined }),
      ],
    });
    if (failed.length === 0) return { invitation, url: `${dashboardOrigin}/invitations/${value}` };
    // Another invitation for the address was created, accepted or revoked at the same time, or the organization deleted.
  }
}

async function isMember(accounts: AccountsTable, organizationId: string, email: string): Promise<boolean> {
  const members = await listMembershipsOfOrganization(accounts, organizationId);
  const profiles = await findProfiles(
    accounts,
    members.map(({ userId }) => userId),
  );
  return profiles.values().some((profile) => isSameAddress(profile.email, email));
}

async function requireActiveOrganization(table: DirectoryTable, organizationId: string): Promise<void> {
  const organization = await findRecord(table, organizationKey(organizationId));
  if (organization !== null && organization.deleted_at === undefined) return;
  throw new GatewayError('not_found', { message: 'The organization does not exist, or is deleted' });
}

async function requireBelowPendingLimit(
  accounts: AccountsTable,
  organizationId: string,
  now: Date,
): Promise<void> {
  const pending = await listPendingInvitations(accounts, organizationId, now);
  if (pending.length < maxPendingInvitations) return;
  throw new GatewayError('conflict', {
    message: `An organization can have ${maxPendingInvitations} pending invitations: revoke one first`,
  });
}

async function findPending(
  accounts: AccountsTable,
  { organizationId, hash, now }: { organizationId: string; hash: string | null; now: Date },
): Promise<Invitation | null> {
  const found = hash === null ? null : await findInvitation(accounts, { organizationId, hash });
  return found !== null && invitationState(found, now) === 'pending' ? found : null;
}

function replacementOf(accounts: AccountsTable, replaced: Invitation | null, now: Date): AuditedChange[] {
  if (replaced === null) return [];
  return [{ event: invitationRevoked(replaced), items: invitationReplacementItems(accounts, replaced, now) }];
}
