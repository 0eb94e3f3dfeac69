/** The first person who signs up owns the demo organization, so that its requests are visible. */
import { checkItem, type DirectoryTable } from '#lambdas/access/directory-table.ts';
import { organizationKey } from '#lambdas/access/item-keys.ts';
import type { AccountsTable } from '#lambdas/accounts/accounts-table.ts';
import { type Membership, memberEvent } from '#lambdas/accounts/members/membership.ts';
import type { Profile } from '#lambdas/accounts/members/profiles.ts';
import { joinItems } from '#lambdas/accounts/members/store.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';

export interface DemoTables {
  accounts: AccountsTable;
  directoryTable: DirectoryTable;
}

/** Changes nothing when the organization has an owner, has had one, or is deleted. */
export async function makeFirstOwner(
  { accounts, directoryTable }: DemoTables,
  audit: AuditTrail,
  { organizationId, user }: { organizationId: string; user: Profile },
): Promise<void> {
  const membership: Membership = {
    organizationId,
    userId: user.id,
    role: 'owner',
    joinedAt: audit.now().toISOString(),
  };
  const after = { role: membership.role };
  await audit.transact({
    event: memberEvent('member.joined', membership, user, { before: null, after }),
    items: [
      ...joinItems(accounts, membership).map(withoutOwners),
      checkItem(directoryTable, organizationKey(organizationId), { deleted_at: undefined }),
    ],
  });
}

/** The only update of the items counts the owner. Without an earlier one, there is nothing to update. */
function withoutOwners(item: TransactItem): TransactItem {
  if (item.Update === undefined) return item;
  return { Update: { ...item.Update, ConditionExpression: 'attribute_not_exists(pk)' } };
}
