/** Invites somebody to an organization. */
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { createProfileStore } from '../members/profiles.ts';
import { createMemberStore } from '../members/store.ts';
import type { Role } from '../permissions.ts';
import { invitationCreated, invitationRevoked } from './events.ts';
import { type Invitation, invitationId, invitationLifetimeMs, invitationState } from './invitation.ts';
import { createInvitationStore, type InvitationStore } from './store.ts';
import { createInvitationToken } from './token.ts';

export interface InviteDependencies {
  accounts: AccountsTable;
  audit: AuditTrail;
  /** Without a trailing slash. */
  dashboardOrigin: string;
}

export interface InvitationRequest {
  organizationId: string;
  organizationName: string;
  email: string;
  role: Role;
}

export interface IssuedInvitation {
  invitation: Invitation;
  /** The link, which nothing else has: it must be shown now. */
  url: string;
}

/**
 * Replaces a pending invitation of the organization for the same address. Throws a `GatewayError` (409) if a member has the
 * address. The organization must exist.
 */
export async function inviteMember(
  { accounts, audit, dashboardOrigin }: InviteDependencies,
  { organizationId, organizationName, role, ...request }: InvitationRequest,
): Promise<IssuedInvitation> {
  const invitations = createInvitationStore(accounts);
  const email = request.email.toLowerCase();
  for (;;) {
    const replacedHash = await invitations.findHash(organizationId, email);
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
    const failed = await audit.transact(
      ...(await replacementOf(invitations, { organizationId, hash: replacedHash, now })),
      { event: invitationCreated(invitation), items: invitations.creationItems(invitation, replacedHash) },
    );
    // Otherwise another invitation for the address was created, accepted or revoked at the same time.
    if (failed.length === 0) return { invitation, url: `${dashboardOrigin}/invitations/${value}` };
  }
}

async function isMember(accounts: AccountsTable, organizationId: string, email: string): Promise<boolean> {
  const members = await createMemberStore(accounts).listOfOrganization(organizationId);
  const profiles = await createProfileStore(accounts).findAll(members.map(({ userId }) => userId));
  return profiles.values().some((profile) => profile.email === email);
}

async function replacementOf(
  invitations: InvitationStore,
  { organizationId, hash, now }: { organizationId: string; hash: string | null; now: Date },
): Promise<AuditedChange[]> {
  const replaced = hash === null ? null : await invitations.find({ organizationId, hash });
  if (replaced === null || invitationState(replaced, now) !== 'pending') return [];
  return [{ event: invitationRevoked(replaced), items: invitations.replacementItems(replaced, now) }];
}
