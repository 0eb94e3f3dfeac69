/** Creates API keys, also as replacements of others. */

import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { keyAccessOf } from '../api-key.ts';
import {
  type ApiKey,
  type ApiKeyChanges,
  type KeyAccess,
  maxCurrentKeys,
  type Replacement,
} from '../directory.ts';
import { changeItem, checkItem, type DirectoryTable, findRecord } from '../directory-table.ts';
import { keyAccessKey, keyRecordKey, organizationKey, replacementKey } from '../item-keys.ts';
import { archiveExpiredKeys, countNewKey, countReplacingKey } from './archive.ts';
import { apiKeyEvent, recordItem, revocation } from './change.ts';
import { findKeyRecord, type KeyRecord } from './read.ts';

export function createKeyCreation(
  table: DirectoryTable,
): Pick<ApiKeyChanges, 'createApiKey' | 'rotateApiKey'> {
  return {
    async createApiKey(apiKey, keyHash, audit, ...also) {
      const { name, last_four, expires_at } = apiKey;
      const after = { name, last_four, expires_at };
      const event = apiKeyEvent('api_key.created', apiKey, { before: null, after });
      const limits: KeyLimits = Object.assign({}, ...also.map(({ limits }) => limits));
      const items = creationItems(table, apiKey, { keyHash, limits, count: countNewKey(table, apiKey) });
      for (;;) {
        const failed = await audit.transact({ event, items }, ...also);
        if (failed.length === 0) return true;
        requireNew(apiKey, failed);
        if (failed.some((position) => position >= items.length)) {
          throw new Error(`A condition of what is created with API key ${apiKey.id} failed`);
        }
        if (!(await makeRoom(table, apiKey.organization_id, audit.now()))) return false;
      }
    },

    async rotateApiKey(old, replacement, audit) {
      const { organization_id: organizationId, id: keyId } = old;
      const record = await findKeyRecord(table, { organizationId, keyId });
      if (record === null || record.isArchived) return 'old changed';
      for (;;) {
        const rotation = await planRotation(table, { ...record, apiKey: old }, replacement, audit);
        const failed = await audit.transact(...rotation.changes);
        if (failed.length === 0) return { replaced: rotation.replaced };
        if (failed.includes(0)) return 'old changed';
        const failedCreation = failed.map((position) => position - rotation.creationPosition);
        requireNew(replacement.apiKey, failedCreation);
        const hasRoom = !failedCreation.includes(countPosition);
        if (!hasRoom && !(await makeRoom(table, organizationId, audit.now()))) return 'no organization';
      }
    },
  };
}

interface PlannedRotation {
  /** The first item is that of the old key's record. */
  changes: AuditedChange[];
  /** The position of the first of `creationItems`. */
  creationPosition: number;
  /** The old key afterwards. */
  replaced: ApiKey;
}

async function planRotation(
  table: DirectoryTable,
  record: KeyRecord,
  { apiKey, keyHash, overlapEnd, revokesOld }: Replacement,
  audit: AuditTrail,
): Promise<PlannedRotation> {
  const { apiKey: old } = record;
  const { name, expires_at, rotation: earlier } = old;
  const rotation = { replacement_id: apiKey.id, ends_at: overlapEnd };
  const event = apiKeyEvent('api_key.rotated', old, {
    before: { replacement_id: earlier?.replacement_id ?? null },
    after: rotation,
  });
  const { keyHash: firstHash, limits } = await findFirstKey(table, apiKey);
  const isFirst = firstHash === record.keyHash;
  // A transaction cannot have two items for the same key.
  const oldAccess = isFirst ? { ...limits } : {};
  const firstCheck = isFirst ? [] : [checkItem(table, keyAccessKey(firstHash), { ...limits })];
  const count = revokesOld ? countReplacingKey(table, apiKey) : countNewKey(table, apiKey);
  const issuing = [
    ...creationItems(table, apiKey, { keyHash, limits, count }),
    replacementItem(table, apiKey),
    ...firstCheck,
  ];
  if (revokesOld) {
    const { apiKey: replaced, ...ending } = revocation(table, record, audit, {
      rotation,
      unchanged: oldAccess,
    });
    const changes = [ending, { event, items: issuing }];
    return { changes, creationPosition: ending.items.length, replaced };
  }
  const set = { rotation };
  const items = [
    recordItem(table, record, { set, unchanged: { name, expires_at, rotation: earlier } }),
    ...issuing,
    changeItem(table, keyAccessKey(record.keyHash), { set, unchanged: oldAccess }),
  ];
  return { changes: [{ event, items }], creationPosition: 1, replaced: { ...old, rotation } };
}

/** The first ones are the record and what requests read. */
const newItemCount = 2;
const countPosition = newItemCount;

function creationItems(
  table: DirectoryTable,
  apiKey: ApiKey,
  { keyHash, limits, count }: { keyHash: string; limits: KeyLimits; count: TransactItem },
): TransactItem[] {
  const { id, organization_id: organizationId } = apiKey;
  const access: KeyAccess = { ...keyAccessOf(apiKey), ...limits };
  const record: Item = {
    ...keyRecordKey({ organizationId, archived: false }, id),
    ...apiKey,
    key_hash: keyHash,
  };
  const items = [record, { ...keyAccessKey(keyHash), ...access }].map((Item) => ({
    Put: { TableName: table.tableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
  }));
  return [...items, count];
}

/** Limits of requests that a key shares with its replacements. */
type KeyLimits = Pick<KeyAccess, 'key_budget' | 'key_rate_limits' | 'key_models'>;

/**
 * The first of the keys that were rotated, whose hard budgets, rate limits and list of models the replacement gets. It is created only
 * if they are still the same, since a key that misses a budget could spend without limit.
 */
async function findFirstKey(
  table: DirectoryTable,
  { organization_id: organizationId, budget_key_id: keyId = '' }: ApiKey,
): Promise<{ keyHash: string; limits: KeyLimits }> {
  const record = await findKeyRecord(table, { organizationId, keyId });
  if (record === null) throw new Error(`There is no API key ${keyId}, whose limits apply`);
  const { keyHash } = record;
  const access = (await findRecord(table, keyAccessKey(keyHash))) as KeyLimits | null;
  const { key_budget, key_rate_limits, key_models } = access ?? {};
  return { keyHash, limits: { key_budget, key_rate_limits, key_models } };
}

function replacementItem(
  { tableName: TableName }: DirectoryTable,
  { organization_id: organizationId, id, budget_key_id: firstId = '' }: ApiKey,
): TransactItem {
  return { Put: { TableName, Item: replacementKey(organizationId, firstId, id) } };
}

/** Rejects a second key with the same hash or id. */
function requireNew({ id }: ApiKey, failed: readonly number[]): void {
  if (failed.some((position) => position >= 0 && position < newItemCount)) {
    throw new Error(`API key ${id} exists already`);
  }
}

/**
 * After a creation that failed because of the organization. Resolves to `false` if it does not exist or is deleted. Throws a
 * `GatewayError` (409) if no key can be archived.
 */
async function makeRoom(table: DirectoryTable, organizationId: string, now: Date): Promise<boolean> {
  const organization = await findRecord(table, organizationKey(organizationId));
  if (organization === null || organization.deleted_at !== undefined) return false;
  if (Number(organization.current_keys) < maxCurrentKeys) return true;
  if (await archiveExpiredKeys(table, organizationId, now)) return true;
  throw new GatewayError('conflict', {
    message: `An organization can have ${maxCurrentKeys.toLocaleString('en')} active API keys: revoke those that are no longer used`,
  });
}
