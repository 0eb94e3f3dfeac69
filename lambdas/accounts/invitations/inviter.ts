/** Invitations end with the right of whoever has sent them. Operators always have it. */
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { findMembership, findRoles, membershipCheck } from '../members/store.ts';
import { isAllowed, type Role } from '../permissions.ts';
import type { Invitation } from './invitation.ts';
import { listPendingInvitations } from './store.ts';

/** Whether a user with this role may invite somebody as `invited`. `null` for nobody's: the user is no member. */
export function mayInvite(role: Role | null, invited: Role): boolean {
  return role !== null && isAllowed(role, invited === 'owner' ? 'manage_owners' : 'manage_members');
}

interface InviterRight {
  isLasting: boolean;
  /** `null` for operators, and for users who are no members any more. */
  role: Role | null;
  /** Fail if the role has changed. */
  checks: TransactItem[];
}

/** Whether the invitation's sender may still invite somebody like this. */
export async function readInviterRight(
  accounts: AccountsTable,
  { organizationId, createdBy, role: invited }: Invitation,
): Promise<InviterRight> {
  if (createdBy.type === 'operator') return { isLasting: true, role: null, checks: [] };
  const userId = createdBy.id;
  const role = (await findMembership(accounts, organizationId, userId))?.role ?? null;
  return {
    isLasting: mayInvite(role, invited),
    role,
    checks: [{ ConditionCheck: membershipCheck(accounts, { organizationId, userId, role }) }],
  };
}

/** The pending invitations that can be accepted, the newest first. */
export async function listAcceptableInvitations(
  accounts: AccountsTable,
  organizationId: string,
  now: Date,
): Promise<Invitation[]> {
  const pending = await listPendingInvitations(accounts, organizationId, now);
  const users = pending.map(({ createdBy }) => createdBy).filter(({ type }) => type === 'user');
  const roles = await findRoles(accounts, organizationId, [...new Set(users.map(({ id }) => id))]);
  return pending.filter(
    ({ createdBy, role }) =>
      createdBy.type === 'operator' || mayInvite(roles.get(createdBy.id) ?? null, role),
  );
}
