/** Creates API keys, each with the hard budgets that apply to it. */
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import type { ApiKey, ApiKeyChanges } from '../directory.ts';
import {
  changeItem,
  checkItem,
  type DirectoryTable,
  findRecord,
  organizationKey,
  recordUnchanged,
} from '../directory-table.ts';
import { apiKeyItemKey } from '../key-lookup.ts';
import { apiKeyEvent } from './change.ts';
import { findKeyOfRecord, pointerKey } from './read.ts';

export function createKeyCreation(
  table: DirectoryTable,
): Pick<ApiKeyChanges, 'createApiKey' | 'rotateApiKey'> {
  return {
    async createApiKey(apiKey, keyHash, audit, ...also) {
      const { name, last_four, expires_at } = apiKey;
      const after = { name, last_four, expires_at };
      const event = apiKeyEvent('api_key.created', apiKey, { before: null, after });
      for (;;) {
        const creation = await prepareCreation(table, apiKey, keyHash);
        if (creation === null) return false;
        const { items, budgetKey } = creation;
        if (budgetKey !== null) items.push(checkItem(table, budgetKey.key, budgetKey.unchanged));
        const failed = await audit.transact({ event, items }, ...also);
        if (failed.length === 0) return true;
        requireNew(apiKey, failed);
        if (failed.some((position) => position >= items.length)) {
          throw new Error(`A condition of what is created with API key ${apiKey.id} failed`);
        }
      }
    },

    async rotateApiKey(old, { apiKey, keyHash, oldExpiresAt }, audit) {
      const { organization_id: organizationId, id: keyId, name, expires_at, revoked_at } = old;
      const oldKey = await findKeyOfRecord(table, { organizationId, keyId });
      if (oldKey === null) return 'old changed';
      const event = apiKeyEvent('api_key.rotated', old, {
        before: { expires_at },
        after: { expires_at: oldExpiresAt, replacement_id: apiKey.id },
      });
      for (;;) {
        const creation = await prepareCreation(table, apiKey, keyHash);
        if (creation === null) return 'no organization';
        const { items, budgetKey } = creation;
        const unchanged: Item = { name, expires_at, revoked_at };
        // A transaction cannot have two items for the same key.
        if (budgetKey !== null && budgetKey.key.pk === oldKey.pk)
          Object.assign(unchanged, budgetKey.unchanged);
        else if (budgetKey !== null) items.push(checkItem(table, budgetKey.key, budgetKey.unchanged));
        const set = { expires_at: oldExpiresAt };
        const failed = await audit.transact({
          event,
          items: [...items, changeItem(table, oldKey, { set, unchanged })],
        });
        if (failed.length === 0) return 'rotated';
        requireNew(apiKey, failed);
        if (failed.includes(items.length)) return 'old changed';
      }
    },
  };
}

interface Creation {
  /** The first ones are the record and the pointer. */
  items: TransactItem[];
  /** The key whose hard budgets were copied, and the attribute that must not have changed. */
  budgetKey: { key: Item; unchanged: Item } | null;
}

const newItemCount = 2;

/**
 * Reads the hard budgets that apply, and the number of shards. They may change at the same time: the key is created only if
 * they have not, since a key that misses a budget could spend without limit. `null` if there is no such organization, or it is
 * deleted.
 */
async function prepareCreation(
  table: DirectoryTable,
  apiKey: ApiKey,
  keyHash: string,
): Promise<Creation | null> {
  const { organization_id: organizationId, id, budget_key_id: budgetKeyId } = apiKey;
  const organization = await findRecord(table, organizationKey(organizationId));
  if (organization === null || organization.deleted_at !== undefined) return null;
  const { budget, log_shards } = organization;
  const item: Item = { ...apiKeyItemKey(keyHash), ...apiKey, log_shards };
  if (budget !== undefined) item.organization_budget = budget;
  const budgetKey =
    budgetKeyId === undefined ? null : await findBudgetKey(table, organizationId, budgetKeyId);
  if (budgetKey?.unchanged.key_budget !== undefined) item.key_budget = budgetKey.unchanged.key_budget;
  const pointer: Item = { ...pointerKey(organizationId, id), key_hash: keyHash };
  const items = [item, pointer].map((Item) => ({
    Put: { TableName: table.tableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
  }));
  return { items: [...items, countCreation(table, organizationId, { budget, log_shards })], budgetKey };
}

async function findBudgetKey(
  table: DirectoryTable,
  organizationId: string,
  keyId: string,
): Promise<Creation['budgetKey']> {
  const key = await findKeyOfRecord(table, { organizationId, keyId });
  const record = key && (await findRecord(table, key));
  return record && { key, unchanged: { key_budget: record.key_budget } };
}

/** Lets a deletion of the organization at the same time notice the new key. */
function countCreation(table: DirectoryTable, organizationId: string, read: Item) {
  const conditions = recordUnchanged({ ...read, deleted_at: undefined });
  return {
    Update: {
      TableName: table.tableName,
      Key: organizationKey(organizationId),
      ...updateExpressions({ add: { keys_created: 1 } }, ...conditions),
    },
  };
}

/** Rejects a second key with the same hash or id. */
function requireNew({ id }: ApiKey, failed: readonly number[]): void {
  if (failed.some((position) => position < newItemCount)) throw new Error(`API key ${id} exists already`);
}
