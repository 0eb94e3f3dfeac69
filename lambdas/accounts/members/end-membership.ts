import type { AuditedChange, AuditTrail, TransactItem } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { memberEvent } from './events.ts';
import type { Membership } from './membership.ts';
import type { Profile } from './profiles.ts';
import type { MemberStore } from './store.ts';

export interface EndingMembership {
  membership: Membership;
  /** `null` for a user whose account is deleted. */
  profile: Pick<Profile, 'name' | 'email'> | null;
  action: 'member.removed' | 'member.left';
  /** Further changes of the same transaction. */
  also?: readonly AuditedChange[];
  /** Further conditions of the transaction. */
  conditions?: readonly TransactItem[];
}

/** `changed`: the membership, or what else the transaction changes, is not as it was read. Only `ended` has written anything. */
export type EndingResult = 'ended' | 'changed' | 'last owner';

export async function endMembership(
  { members, audit }: { members: MemberStore; audit: AuditTrail },
  { membership, profile, action, also = [], conditions = [] }: EndingMembership,
): Promise<EndingResult> {
  const items = members.leaveItems(membership);
  const values = { before: { role: membership.role }, after: null };
  const event = memberEvent(action, membership, profile, values);
  const failed = await audit.transact({ event, items: [...items, ...conditions] }, ...also);
  if (failed.length === 0) return 'ended';
  const isLastOwner =
    membership.role === 'owner' && failed.every((position) => position === items.length - 1);
  return isLastOwner ? 'last owner' : 'changed';
}

/** Without a guarantee: somebody else may change it. The transaction decides. */
export async function isLastOwner(
  members: MemberStore,
  { organizationId, role }: Membership,
): Promise<boolean> {
  if (role !== 'owner') return false;
  const memberships = await members.listOfOrganization(organizationId);
  return memberships.filter((other) => other.role === 'owner').length === 1;
}

export function lastOwner(): GatewayError {
  return new GatewayError('conflict', {
    message: 'An organization needs an owner: make another member an owner first',
  });
}
