/** Creates and renames organizations. */

import { randomBytes } from 'node:crypto';
import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { Organization, OrganizationChanges } from '../directory.ts';
import { changeItem, type DirectoryTable, findRecord, organizationKey } from '../directory-table.ts';
import { toOrganization } from './read.ts';

export function newCursorKey(): string {
  return randomBytes(32).toString('base64url');
}

export function createOrganizationChanges(
  table: DirectoryTable,
): Pick<OrganizationChanges, 'createOrganization' | 'renameOrganization'> {
  return {
    async createOrganization(organization, audit, alsoWrite = []) {
      const { id, name, log_shards } = organization;
      const put = {
        TableName: table.tableName,
        Item: { ...organizationKey(id), ...organization, cursor_key: newCursorKey(), keys_created: 0 },
        ConditionExpression: 'attribute_not_exists(pk)',
      };
      const after = { name, log_shards };
      const failed = await audit.transact({
        event: organizationEvent('organization.created', organization, { before: null, after }),
        items: [{ Put: put }, ...alsoWrite],
      });
      if (failed.includes(0)) throw new Error(`Organization ${id} exists already`);
      if (failed.length > 0) throw new Error(`A condition of what is created with organization ${id} failed`);
    },

    async renameOrganization(organizationId, name, audit) {
      const key = organizationKey(organizationId);
      for (;;) {
        const item = await findRecord(table, key);
        if (item === null || item.deleted_at !== undefined) return null;
        const organization = toOrganization(item);
        if (organization.name === name) return organization;
        const before = { name: organization.name };
        const unchanged = { ...before, deleted_at: undefined };
        const failed = await audit.transact({
          event: organizationEvent('organization.renamed', organization, { before, after: { name } }),
          items: [changeItem(table, key, { set: { name }, unchanged })],
        });
        if (failed.length === 0) return { ...organization, name };
      }
    },
  };
}

export function organizationEvent(
  action: AuditAction,
  { id, name }: Organization,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId: id, target: { type: 'organization', id, name }, ...values };
}
