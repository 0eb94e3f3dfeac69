/**
 * Deletes organizations. Their log entries, sums and budgets stay, and so do their keys, which are refused: requests read whether
 * the organization is deleted together with the key.
 */
import { runOperation } from '#lambdas/audit/audit-trail.ts';
import type { AuditValues } from '#lambdas/audit/record.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import {
  maxTransactionItems,
  sendTransaction,
  type TransactItem,
} from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Organization, OrganizationChanges, OrganizationDeletion } from '../directory.ts';
import { changeItem, type DirectoryTable, findRecord } from '../directory-table.ts';
import { organizationKey } from '../item-keys.ts';
import { organizationEvent } from './change.ts';
import { toOrganization } from './read.ts';

export function createOrganizationDeletion(
  table: DirectoryTable,
): Pick<OrganizationChanges, 'deleteOrganization'> {
  return { deleteOrganization: (request) => deleteOrganization(table, request) };
}

async function deleteOrganization(
  table: DirectoryTable,
  request: OrganizationDeletion,
): Promise<Organization | null> {
  const { audit } = request;
  const deletion = { ...request, table, deletedAt: audit.now().toISOString() };
  for (let attempt = 1; ; attempt++) {
    const organization = await readOrganization(deletion);
    if (organization === null || organization.deleted_at !== undefined) return organization;
    requireConfirmedName(deletion, organization);
    const memberships = await deletion.readMemberships();
    // Two more are the organization and the audit record.
    const isSmall = memberships.length + 2 <= maxTransactionItems;
    const deleted = await (isSmall
      ? deleteInOneTransaction(deletion, { organization, memberships, attempt })
      : deleteInSteps(deletion, organization));
    if (deleted !== null) return deleted;
  }
}

interface Deletion extends OrganizationDeletion {
  table: DirectoryTable;
  deletedAt: string;
}

async function readOrganization({ table, organizationId }: Deletion): Promise<Organization | null> {
  const item = await findRecord(table, organizationKey(organizationId));
  return item && toOrganization(item);
}

interface Attempt {
  organization: Organization;
  memberships: readonly TransactItem[];
  attempt: number;
}

/** While members and invitations keep changing. */
const maxAttempts = 5;

/** Resolves to `null` if something has changed since it was read. */
async function deleteInOneTransaction(
  deletion: Deletion,
  { organization, memberships, attempt }: Attempt,
): Promise<Organization | null> {
  const { audit, deletedAt } = deletion;
  const failed = await audit.transact({
    event: { ...deletionEvent(organization), after: { deleted_at: deletedAt } },
    items: [deletionItem(deletion, organization), ...memberships],
  });
  if (attempt >= maxAttempts) requireSameMembers(organization, failed, 1);
  return failed.length === 0 ? { ...organization, deleted_at: deletedAt } : null;
}

/** Resolves to `null` if another caller has deleted it in the meantime. */
async function deleteInSteps(deletion: Deletion, first: Organization): Promise<Organization | null> {
  const { table, audit, deletedAt } = deletion;
  let deleted: Organization | null = null;
  await runOperation(audit, deletionEvent(first), async (): Promise<AuditValues> => {
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
      const organization = await readOrganization(deletion);
      if (organization === null || organization.deleted_at !== undefined) return {};
      requireConfirmedName(deletion, organization);
      const failed = await sendTransaction(table.client, [deletionItem(deletion, organization), ...last]);
      if (attempt >= maxAttempts) requireSameMembers(organization, failed, 1);
      if (failed.length > 0) continue;
      deleted = { ...organization, deleted_at: deletedAt };
      return { deleted_at: deletedAt };
    }
  });
  return deleted;
}

function requireConfirmedName({ confirmedName }: Deletion, organization: Organization): void {
  if (confirmedName === undefined || confirmedName === organization.name) return;
  throw new GatewayError('conflict', {
    param: 'name',
    message: 'The organization has been renamed in the meantime: confirm its deletion with the new name',
  });
}

function deletionEvent(organization: Organization) {
  const before = { name: organization.name };
  return organizationEvent('organization.deleted', organization, { before, after: null });
}

function deletionItem({ table, deletedAt }: Deletion, { id, name }: Organization) {
  return changeItem(table, organizationKey(id), {
    set: { deleted_at: deletedAt },
    unchanged: { name, deleted_at: undefined },
  });
}

/** `first`: the position of the first membership. */
function requireSameMembers(organization: Organization, failed: readonly number[], first: number): void {
  if (failed.some((position) => position >= first)) {
    throw new Error(`Members of organization ${organization.id} have changed: delete it again`);
  }
}
