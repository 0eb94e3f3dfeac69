/** Creates and changes organizations. */

import { randomBytes } from 'node:crypto';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { Organization, OrganizationChanges } from '../directory.ts';
import { changeItem, type DirectoryTable, findRecord } from '../directory-table.ts';
import { organizationKey, organizationPointerKey } from '../item-keys.ts';
import { toOrganization } from './read.ts';

export function newCursorKey(): string {
  return randomBytes(32).toString('base64url');
}

export function createOrganizationChanges(
  table: DirectoryTable,
): Pick<OrganizationChanges, 'createOrganization' | 'renameOrganization' | 'raiseLogShards'> {
  return {
    async createOrganization(organization, audit, alsoWrite = []) {
      const { id, name, log_shards } = organization;
      const put = {
        TableName: table.tableName,
        Item: { ...organizationKey(id), ...organization, cursor_key: newCursorKey(), current_keys: 0 },
        ConditionExpression: 'attribute_not_exists(pk)',
      };
      const after = { name, log_shards };
      const failed = await audit.transact({
        event: organizationEvent('organization.created', organization, { before: null, after }),
        items: [
          { Put: put },
          { Put: { TableName: table.tableName, Item: organizationPointerKey(id) } },
          ...alsoWrite,
        ],
      });
      if (failed.includes(0)) throw new Error(`Organization ${id} exists already`);
      if (failed.length > 0) throw new Error(`A condition of what is created with organization ${id} failed`);
    },

    renameOrganization: (organizationId, name, audit) =>
      changeOrganization(table, organizationId, audit, (organization) =>
        organization.name === name
          ? null
          : { action: 'organization.renamed', before: { name: organization.name }, after: { name } },
      ),

    raiseLogShards: (organizationId, log_shards, audit) =>
      changeOrganization(table, organizationId, audit, (organization) =>
        organization.log_shards >= log_shards
          ? null
          : {
              action: 'organization.scaled',
              before: { log_shards: organization.log_shards },
              after: { log_shards },
            },
      ),
  };
}

interface OrganizationChange {
  action: AuditAction;
  before: AuditValues;
  after: AuditValues;
}

/**
 * Repeats the change while others change the same attributes. `changeOf` resolves to `null` if there is nothing to change.
 * Resolves to `null` if there is no such organization, or it is deleted.
 */
async function changeOrganization(
  table: DirectoryTable,
  organizationId: string,
  audit: AuditTrail,
  changeOf: (organization: Organization) => OrganizationChange | null,
): Promise<Organization | null> {
  const key = organizationKey(organizationId);
  for (;;) {
    const item = await findRecord(table, key);
    if (item === null || item.deleted_at !== undefined) return null;
    const organization = toOrganization(item);
    const change = changeOf(organization);
    if (change === null) return organization;
    const { action, before, after } = change;
    const unchanged = { ...before, deleted_at: undefined };
    const failed = await audit.transact({
      event: organizationEvent(action, organization, { before, after }),
      items: [changeItem(table, key, { set: after, unchanged })],
    });
    if (failed.length === 0) return { ...organization, ...after };
  }
}

export function organizationEvent(
  action: AuditAction,
  { id, name }: Organization,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId: id, target: { type: 'organization', id, name }, ...values };
}
