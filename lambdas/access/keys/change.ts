/** Changes of existing API keys. */

import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type AuditAction, type AuditEvent, type AuditValues, creatorOf } from '#lambdas/audit/record.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { ApiKey, ApiKeyChanges } from '../directory.ts';
import { changeItem, type DirectoryTable, findRecord } from '../directory-table.ts';
import { toApiKey } from '../key-lookup.ts';
import { type ApiKeyId, findKeyOfRecord } from './read.ts';

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
      changeKey(table, { organizationId, keyId }, audit, (apiKey) =>
        apiKey.name === name
          ? null
          : { action: 'api_key.renamed', set: { name }, before: { name: apiKey.name }, after: { name } },
      ),

    changeApiKeyExpiry: (organizationId, keyId, expires_at, audit) =>
      changeKey(table, { organizationId, keyId }, audit, (apiKey) =>
        apiKey.expires_at === expires_at
          ? null
          : {
              action: 'api_key.expiry_changed',
              set: { expires_at },
              before: { expires_at: apiKey.expires_at },
              after: { expires_at },
            },
      ),

    revokeApiKey: (organizationId, keyId, audit) =>
      changeKey(table, { organizationId, keyId }, audit, () => revocation(audit)),
  };
}

/** For a key that is not revoked. */
export function revocation(audit: AuditTrail, revoked_at = audit.now().toISOString()): KeyChange {
  return {
    action: 'api_key.revoked',
    set: { revoked_at, revoked_by: creatorOf(audit.actor) },
    before: { revoked_at: null },
    after: { revoked_at },
  };
}

/** Its item fails if another change was made to the same attributes, or the key is revoked. */
export function keyChange(
  table: DirectoryTable,
  { key, apiKey }: { key: Item; apiKey: ApiKey },
  { action, set, before, after }: KeyChange,
): AuditedChange {
  const unchanged = { ...before, revoked_at: null };
  return {
    event: apiKeyEvent(action, apiKey, { before, after }),
    items: [changeItem(table, key, { set, unchanged })],
  };
}

/** Repeats the change while others change the same attributes. `changeOf` resolves to `null` if there is nothing to change. */
async function changeKey(
  table: DirectoryTable,
  id: ApiKeyId,
  audit: AuditTrail,
  changeOf: (apiKey: ApiKey) => KeyChange | null,
): Promise<ApiKey | null> {
  const key = await findKeyOfRecord(table, id);
  if (key === null) return null;
  for (;;) {
    const item = await findRecord(table, key);
    if (item === null) return null;
    const apiKey = toApiKey(item);
    const change = apiKey.revoked_at === null ? changeOf(apiKey) : null;
    if (change === null) return apiKey;
    const failed = await audit.transact(keyChange(table, { key, apiKey }, change));
    if (failed.length === 0) return { ...apiKey, ...change.set };
  }
}

export function apiKeyEvent(
  action: AuditAction,
  { id, name, organization_id: organizationId }: ApiKey,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId, target: { type: 'api_key', id, name }, ...values };
}
