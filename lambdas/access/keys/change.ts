/** Changes of existing API keys. */

import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type AuditAction, type AuditEvent, type AuditValues, creatorOf } from '#lambdas/audit/record.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import type { ApiKey, ApiKeyChanges, KeyRotation } from '../directory.ts';
import { changeItem, type DirectoryTable, type RecordChange } from '../directory-table.ts';
import { keyAccessKey, keyRecordKey } from '../item-keys.ts';
import { archiveItems, countArchivedKeys } from './archive.ts';
import { type ApiKeyId, findKeyRecord, type KeyRecord } from './read.ts';

interface KeyChange {
  action: AuditAction;
  set: Partial<ApiKey>;
  before: AuditValues;
  after: AuditValues;
}

export function createKeyChanges(
  table: DirectoryTable,
): Pick<ApiKeyChanges, 'renameApiKey' | 'changeApiKeyExpiry' | 'revokeApiKey'> {
  return {
    renameApiKey: (organizationId, keyId, name, audit) =>
      changeKey(table, { organizationId, keyId }, audit, (record) => {
        const { apiKey } = record;
        if (apiKey.name === name) return null;
        return keyChange(table, record, {
          action: 'api_key.renamed',
          set: { name },
          before: { name: apiKey.name },
          after: { name },
        });
      }),

    changeApiKeyExpiry: (organizationId, keyId, expires_at, audit) =>
      changeKey(table, { organizationId, keyId }, audit, (record) => {
        const { apiKey } = record;
        // It does not count as a current key, and must not work again.
        if (record.isArchived || apiKey.expires_at === expires_at) return null;
        return keyChange(table, record, {
          action: 'api_key.expiry_changed',
          set: { expires_at },
          before: { expires_at: apiKey.expires_at },
          after: { expires_at },
        });
      }),

    revokeApiKey: (organizationId, keyId, audit) =>
      changeKey(table, { organizationId, keyId }, audit, (record) => {
        const { apiKey, event, items } = revocation(table, record, audit);
        const count = record.isArchived ? [] : [countArchivedKeys(table, organizationId, 1)];
        return { apiKey, change: { event, items: [...items, ...count] } };
      }),
  };
}

interface ChangedKey {
  /** The key afterwards. */
  apiKey: ApiKey;
  change: AuditedChange;
}

interface RevocationOptions {
  /** A rotation that ends the key at once. */
  rotation?: KeyRotation;
  /** Attributes that requests must still read of a key that is not archived. */
  unchanged?: Item;
}

/** Revokes a key, which archives it. The caller counts those that were not archived. The items fail like those of `changeKey`. */
export function revocation(
  table: DirectoryTable,
  record: KeyRecord,
  audit: AuditTrail,
  { rotation, unchanged }: RevocationOptions = {},
): AuditedChange & { apiKey: ApiKey } {
  const revoked_at = rotation?.ends_at ?? audit.now().toISOString();
  const set = { revoked_at, revoked_by: creatorOf(audit.actor), ...(rotation && { rotation }) };
  const apiKey = { ...record.apiKey, ...set };
  const values = { before: { revoked_at: null }, after: { revoked_at } };
  return {
    apiKey,
    event: apiKeyEvent('api_key.revoked', record.apiKey, values),
    items: record.isArchived
      ? [
          recordItem(table, record, { set, unchanged: { revoked_at: null } }),
          accessItem(table, record, { revoked_at }),
        ]
      : archiveItems(table, record, set, unchanged),
  };
}

/** The first item fails if another change was made to the same attributes, or the key was archived or revoked. */
function keyChange(
  table: DirectoryTable,
  record: KeyRecord,
  { action, set, before, after }: KeyChange,
): ChangedKey {
  const items: TransactItem[] = [
    recordItem(table, record, { set, unchanged: { ...before, revoked_at: null } }),
  ];
  const { expires_at } = set;
  if (expires_at !== undefined) items.push(accessItem(table, record, { expires_at }));
  return {
    apiKey: { ...record.apiKey, ...set },
    change: { event: apiKeyEvent(action, record.apiKey, { before, after }), items },
  };
}

export function recordItem(
  table: DirectoryTable,
  { apiKey, isArchived }: KeyRecord,
  change: RecordChange,
): TransactItem {
  const partition = { organizationId: apiKey.organization_id, archived: isArchived };
  return changeItem(table, keyRecordKey(partition, apiKey.id), change);
}

/** Changes what requests read, together with the record. */
function accessItem(table: DirectoryTable, { keyHash }: KeyRecord, set: Partial<ApiKey>): TransactItem {
  return changeItem(table, keyAccessKey(keyHash), { set, unchanged: {} });
}

/** Repeats the change while others change the same attributes. `changeOf` resolves to `null` if there is nothing to change. */
async function changeKey(
  table: DirectoryTable,
  id: ApiKeyId,
  audit: AuditTrail,
  changeOf: (record: KeyRecord) => ChangedKey | null,
): Promise<ApiKey | null> {
  for (;;) {
    const record = await findKeyRecord(table, id);
    if (record === null) return null;
    const changed = record.apiKey.revoked_at === null ? changeOf(record) : null;
    if (changed === null) return record.apiKey;
    const failed = await audit.transact(changed.change);
    if (failed.length === 0) return changed.apiKey;
  }
}

export function apiKeyEvent(
  action: AuditAction,
  { id, name, organization_id: organizationId }: ApiKey,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId, target: { type: 'api_key', id, name }, ...values };
}
