/**
 * The archive of an organization's keys. Revoked keys are moved to it at once, expired ones when there is no room for a new key
 * among the current ones, which the organization's record counts.
 */
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import {
  compares,
  conditionExpressions,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import {
  maxTransactionItems,
  sendTransaction,
  type TransactItem,
} from '#lambdas/platform/dynamodb/transaction.ts';
import { isActiveApiKey, recipientOf } from '../api-key.ts';
import { type ApiKey, maxCurrentKeys, type Organization } from '../directory.ts';
import { changeItem, type DirectoryTable, recordUnchanged } from '../directory-table.ts';
import { keyAccessKey, keyRecordKey, organizationKey } from '../item-keys.ts';
import { type KeyRecord, listCurrentKeyRecords } from './read.ts';

/** The key's record, its copy in the archive, and what requests read. */
export const itemsPerArchivedKey = 3;

type ArchivingChange = Partial<Pick<ApiKey, 'revoked_at' | 'revoked_by' | 'rotation'>>;

/**
 * Moves a current key to the archive, revoked if it has not only expired. The caller counts it. The first item fails if the key has
 * changed since it was read, or is archived already. The last item of a key that is revoked fails unless requests still read
 * `unchanged` of it.
 */
export function archiveItems(
  table: DirectoryTable,
  { apiKey, keyHash }: KeyRecord,
  set: ArchivingChange = {},
  unchanged: Item = {},
): TransactItem[] {
  const { id, organization_id: organizationId, name, expires_at, rotation } = apiKey;
  const { tableName: TableName } = table;
  const archivedKey = keyRecordKey({ organizationId, archived: true }, id);
  const items: TransactItem[] = [
    {
      Delete: {
        TableName,
        Key: keyRecordKey({ organizationId, archived: false }, id),
        ...conditionExpressions(...recordUnchanged({ name, expires_at, rotation })),
      },
    },
    {
      Put: {
        TableName,
        Item: { ...archivedKey, ...apiKey, ...set, key_hash: keyHash },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
  ];
  const { revoked_by: _, ...access } = set;
  if (access.revoked_at !== undefined) {
    items.push(changeItem(table, keyAccessKey(keyHash), { set: access, unchanged }));
  }
  return items;
}

/** Fails if the organization does not exist, is deleted, or has too many keys. Also records that a user has been shown a key. */
export function countNewKey(table: DirectoryTable, apiKey: ApiKey): TransactItem {
  return countIssuedKey(table, apiKey, 1);
}

/** Like `countNewKey`, for a key that takes the place of another one. */
export function countReplacingKey(table: DirectoryTable, apiKey: ApiKey): TransactItem {
  return countIssuedKey(table, apiKey, 0);
}

function countIssuedKey(table: DirectoryTable, apiKey: ApiKey, change: 0 | 1): TransactItem {
  const shown = recipientOf(apiKey).type === 'user' ? { key_shown: true } : {};
  return countItem(table, apiKey.organization_id, change, shown);
}

export function countArchivedKeys(
  table: DirectoryTable,
  organizationId: string,
  count: number,
): TransactItem {
  return countItem(table, organizationId, -count);
}

function countItem(
  { tableName: TableName }: DirectoryTable,
  organizationId: string,
  change: number,
  set: Pick<Organization, 'key_shown'> = {},
) {
  const conditions =
    change < 0 ? [] : [compares('current_keys', '<=', maxCurrentKeys - change), notExists('deleted_at')];
  return {
    Update: {
      TableName,
      Key: organizationKey(organizationId),
      ...updateExpressions({ add: { current_keys: change }, set }, ...conditions),
    },
  };
}

/** Resolves to whether there were any. */
export async function archiveExpiredKeys(
  table: DirectoryTable,
  organizationId: string,
  now: Date,
): Promise<boolean> {
  const records = await listCurrentKeyRecords(table, organizationId);
  const expired = records.filter(({ apiKey }) => !isActiveApiKey(apiKey, now));
  for (const batch of chunksOf(expired, Math.floor((maxTransactionItems - 1) / itemsPerArchivedKey))) {
    // Fails if one of them has changed: it is then found again.
    await sendTransaction(table.client, [
      ...batch.flatMap((record) => archiveItems(table, record)),
      countArchivedKeys(table, organizationId, batch.length),
    ]);
  }
  return expired.length > 0;
}
