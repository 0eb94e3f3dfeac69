/**
 * Deletes organizations. Their keys are revoked; their log entries, sums and budgets stay.
 *
 * No key stays active, also if it is created at the same time: the organization is deleted on the condition that it has created
 * no key since its keys were listed, and keys are created on the condition that it is not deleted.
 */
import { type AuditTrail, maxTransactionItems, type TransactItem } from '#lambdas/audit/audit-trail.ts';
import { type AuditValues, creatorOf } from '#lambdas/audit/record.ts';
import { runOperation } from '#lambdas/audit/run-operation.ts';
import { sendTransaction } from '#lambdas/audit/send-transaction.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { Organization, OrganizationChanges } from '../directory.ts';
import {
  changeItem,
  type DirectoryTable,
  organizationKey,
  recordKeyOf,
  updateRecordIf,
} from '../directory-table.ts';
import { organizationEvent } from './events.ts';
import { type OrganizationWithKeys, readOrganizationWithKeys } from './with-keys.ts';

export function createOrganizationDeletion(
  table: DirectoryTable,
): Pick<OrganizationChanges, 'deleteOrganization'> {
  return {
    async deleteOrganization(organizationId, audit, memberships) {
      const deletion = { table, audit, memberships, deletedAt: audit.now().toISOString() };
      for (;;) {
        const read = await readOrganizationWithKeys(table, organizationId);
        if (read === null) return null;
        if (read.organization.deleted_at !== undefined) return read.organization;
        const items = 1 + unrevokedKeys(read).length + memberships.length;
        // One more is the record.
        const isSmall = items < maxTransactionItems;
        const deleted = await (isSmall
          ? deleteInOneTransaction(deletion, read)
          : deleteInSteps(deletion, read));
        if (deleted !== null) return deleted;
      }
    },
  };
}

interface Deletion {
  table: DirectoryTable;
  audit: AuditTrail;
  memberships: readonly TransactItem[];
  deletedAt: string;
}

/** Resolves to `null` if something has changed since it was read. */
async function deleteInOneTransaction(
  deletion: Deletion,
  read: OrganizationWithKeys,
): Promise<Organization | null> {
  const { audit, memberships, deletedAt } = deletion;
  const keys = unrevokedKeys(read);
  const directoryItems = [deletionItem(deletion, read), ...keys.map((key) => revocationItem(deletion, key))];
  const after = { deleted_at: deletedAt, revoked_keys: keys.length };
  const failed = await audit.transact({
    event: { ...deletionEvent(read), after },
    items: [...directoryItems, ...memberships],
  });
  requireSameMembers(read, failed, directoryItems.length);
  return failed.length === 0 ? { ...read.organization, deleted_at: deletedAt } : null;
}

/** Resolves to `null` if another caller has deleted it in the meantime. */
async function deleteInSteps(deletion: Deletion, first: OrganizationWithKeys): Promise<Organization | null> {
  const { table, audit, memberships, deletedAt } = deletion;
  const { id } = first.organization;
  // The organization is deleted together with as many memberships as possible.
  const last = memberships.slice(-(maxTransactionItems - 1));
  let deleted: Organization | null = null;
  await runOperation(audit, deletionEvent(first), async (): Promise<AuditValues> => {
    let revokedKeys = await revokeKeys(deletion, unrevokedKeys(first));
    for (const batch of batchesOf(memberships.slice(0, memberships.length - last.length))) {
      requireSameMembers(first, await sendTransaction(table.client, batch), 0);
    }
    for (;;) {
      const read = await readOrganizationWithKeys(table, id);
      if (read === null || read.organization.deleted_at !== undefined) return { revoked_keys: revokedKeys };
      revokedKeys += await revokeKeys(deletion, unrevokedKeys(read));
      const failed = await sendTransaction(table.client, [deletionItem(deletion, read), ...last]);
      requireSameMembers(read, failed, 1);
      if (failed.length > 0) continue;
      deleted = { ...read.organization, deleted_at: deletedAt };
      return { deleted_at: deletedAt, revoked_keys: revokedKeys };
    }
  });
  return deleted;
}

/** Including expired ones, which could get another expiry. */
function unrevokedKeys({ keys }: OrganizationWithKeys): Item[] {
  return keys.filter(({ revoked_at }) => revoked_at === null);
}

function deletionEvent({ organization }: OrganizationWithKeys) {
  const before = { name: organization.name };
  return organizationEvent('organization.deleted', organization, { before, after: null });
}

function deletionItem({ table, deletedAt }: Deletion, { organization, keysCreated }: OrganizationWithKeys) {
  const { id, name } = organization;
  return changeItem(table, organizationKey(id), {
    set: { deleted_at: deletedAt },
    unchanged: { name, keys_created: keysCreated, deleted_at: undefined },
  });
}

function revocationItem({ table, audit, deletedAt }: Deletion, key: Item) {
  const set = { revoked_at: deletedAt, revoked_by: creatorOf(audit.actor) };
  return changeItem(table, recordKeyOf(key), { set, unchanged: { revoked_at: null } });
}

/** The AWS SDK's connection limit. */
const maxConcurrentKeys = 50;

/** Resolves to the number of keys that were not revoked by someone else in the meantime. */
async function revokeKeys(deletion: Deletion, keys: readonly Item[]): Promise<number> {
  const { table, deletedAt } = deletion;
  let revoked = 0;
  await forEachConcurrently(keys, maxConcurrentKeys, async (key) => {
    const updated = await updateRecordIf(table, revocationItem(deletion, key).Update);
    if (updated?.revoked_at === deletedAt) revoked++;
  });
  return revoked;
}

function batchesOf(items: readonly TransactItem[]): TransactItem[][] {
  return Array.from({ length: Math.ceil(items.length / maxTransactionItems) }, (_, index) =>
    items.slice(index * maxTransactionItems, (index + 1) * maxTransactionItems),
  );
}

/** `first`: the position of the first membership. */
function requireSameMembers(
  { organization }: OrganizationWithKeys,
  failed: readonly number[],
  first: number,
): void {
  if (failed.some((position) => position >= first)) {
    throw new Error(`Members of organization ${organization.id} have changed: delete it again`);
  }
}
