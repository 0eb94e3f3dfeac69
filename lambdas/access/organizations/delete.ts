/**
 * Deletes organizations. Their keys are revoked; their log entries, sums and budgets stay.
 *
 * No key stays active, also if it is created at the same time: the organization is deleted on the condition that it has created
 * no key since its keys were listed, and keys are created on the condition that it is not deleted.
 */
import { runOperation } from '#lambdas/audit/audit-trail.ts';
import type { AuditValues } from '#lambdas/audit/record.ts';
import { chunksOf, forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import {
  maxTransactionItems,
  sendTransaction,
  type TransactItem,
} from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Organization, OrganizationChanges, OrganizationDeletion } from '../directory.ts';
import {
  changeItem,
  type DirectoryTable,
  organizationKey,
  recordKeyOf,
  updateRecordIf,
} from '../directory-table.ts';
import { revocation } from '../keys/change.ts';
import { organizationEvent } from './change.ts';
import { type OrganizationWithKeys, readOrganizationWithKeys } from './read.ts';

export function createOrganizationDeletion(
  table: DirectoryTable,
): Pick<OrganizationChanges, 'deleteOrganization'> {
  return { deleteOrganization: (request) => deleteOrganization(table, request) };
}

async function deleteOrganization(
  table: DirectoryTable,
  request: OrganizationDeletion,
): Promise<Organization | null> {
  const { organizationId, audit } = request;
  const deletion = { ...request, table, deletedAt: audit.now().toISOString() };
  for (let attempt = 1; ; attempt++) {
    const read = await readOrganizationWithKeys(table, organizationId);
    if (read === null) return null;
    if (read.organization.deleted_at !== undefined) return read.organization;
    requireConfirmedName(deletion, read);
    const memberships = await deletion.readMemberships();
    const items = 1 + unrevokedKeys(read).length + memberships.length;
    // One more is the record.
    const isSmall = items < maxTransactionItems;
    const deleted = await (isSmall
      ? deleteInOneTransaction(deletion, { read, memberships, attempt })
      : deleteInSteps(deletion, read));
    if (deleted !== null) return deleted;
  }
}

interface Deletion extends OrganizationDeletion {
  table: DirectoryTable;
  deletedAt: string;
}

interface Attempt {
  read: OrganizationWithKeys;
  memberships: readonly TransactItem[];
  attempt: number;
}

/** While members and invitations keep changing. */
const maxAttempts = 5;

/** Resolves to `null` if something has changed since it was read. */
async function deleteInOneTransaction(
  deletion: Deletion,
  { read, memberships, attempt }: Attempt,
): Promise<Organization | null> {
  const { audit, deletedAt } = deletion;
  const keys = unrevokedKeys(read);
  const directoryItems = [deletionItem(deletion, read), ...keys.map((key) => revocationItem(deletion, key))];
  const after = { deleted_at: deletedAt, revoked_keys: keys.length };
  const failed = await audit.transact({
    event: { ...deletionEvent(read), after },
    items: [...directoryItems, ...memberships],
  });
  if (attempt >= maxAttempts) requireSameMembers(read, failed, directoryItems.length);
  return failed.length === 0 ? { ...read.organization, deleted_at: deletedAt } : null;
}

/** Resolves to `null` if another caller has deleted it in the meantime. */
async function deleteInSteps(deletion: Deletion, first: OrganizationWithKeys): Promise<Organization | null> {
  const { table, audit, deletedAt } = deletion;
  const { id } = first.organization;
  let deleted: Organization | null = null;
  await runOperation(audit, deletionEvent(first), async (): Promise<AuditValues> => {
    let revokedKeys = await revokeKeys(deletion, unrevokedKeys(first));
    for (let attempt = 1; ; attempt++) {
      const memberships = await deletion.readMemberships();
      // The organization is deleted together with as many memberships as possible.
      const last = memberships.slice(-(maxTransactionItems - 1));
      for (const batch of chunksOf(
        memberships.slice(0, memberships.length - last.length),
        maxTransactionItems,
      )) {
        requireSameMembers(first, await sendTransaction(table.client, batch), 0);
      }
      const read = await readOrganizationWithKeys(table, id);
      if (read === null || read.organization.deleted_at !== undefined) return { revoked_keys: revokedKeys };
      requireConfirmedName(deletion, read);
      revokedKeys += await revokeKeys(deletion, unrevokedKeys(read));
      const failed = await sendTransaction(table.client, [deletionItem(deletion, read), ...last]);
      if (attempt >= maxAttempts) requireSameMembers(read, failed, 1);
      if (failed.length > 0) continue;
      deleted = { ...read.organization, deleted_at: deletedAt };
      return { deleted_at: deletedAt, revoked_keys: revokedKeys };
    }
  });
  return deleted;
}

function requireConfirmedName({ confirmedName }: Deletion, { organization }: OrganizationWithKeys): void {
  if (confirmedName === undefined || confirmedName === organization.name) return;
  throw new GatewayError('conflict', {
    param: 'name',
    message: 'The organization has been renamed in the meantime: confirm its deletion with the new name',
  });
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
  const { set, before: unchanged } = revocation(audit, deletedAt);
  return changeItem(table, recordKeyOf(key), { set, unchanged });
}

/** Resolves to the number of keys that were not revoked by someone else in the meantime. */
async function revokeKeys(deletion: Deletion, keys: readonly Item[]): Promise<number> {
  const { table, deletedAt } = deletion;
  let revoked = 0;
  await forEachConcurrently(keys, maxConnections, async (key) => {
    const updated = await updateRecordIf(table, revocationItem(deletion, key).Update);
    if (updated?.revoked_at === deletedAt) revoked++;
  });
  return revoked;
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
