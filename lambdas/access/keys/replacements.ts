/**
 * Keys that replace another one by rotation share the budgets, the rate limits and the list of models of the first of them. Requests
 * read them with their own key, so that each key has a copy.
 */
import { isDeepStrictEqual } from 'node:util';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { exists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { maxTransactionItems, sendTransaction } from '#lambdas/platform/dynamodb/transaction.ts';
import type { KeyAccess } from '../directory.ts';
import { attributeChange, checkItem, type DirectoryTable } from '../directory-table.ts';
import { keyAccessKey } from '../item-keys.ts';
import { type ApiKeyId, findKeyRecords, listReplacementIds } from './read.ts';

/** The keys that share the budgets and rate limits of the first one: itself, and those that have replaced it. */
export async function listSharingKeyIds(
  table: DirectoryTable,
  { organizationId, keyId }: ApiKeyId,
): Promise<string[]> {
  return [keyId, ...(await listReplacementIds(table, organizationId, keyId))];
}

/** The items that requests with these keys read, in any order. */
export async function findSharingAccess(table: DirectoryTable, first: ApiKeyId): Promise<Item[]> {
  const keyIds = await listSharingKeyIds(table, first);
  const records = await findKeyRecords(table, first.organizationId, keyIds);
  return batchGet(
    table,
    records.map(({ keyHash }) => keyAccessKey(keyHash)),
  );
}

/**
 * Copies an attribute of the first key to the keys that have replaced it, until none differs. It writes nothing that the first
 * key no longer has, so concurrent calls cannot leave an earlier value behind. A rotation copies it too.
 */
export async function copyToReplacements(
  table: DirectoryTable,
  firstKey: ApiKeyId,
  attribute: keyof KeyAccess,
): Promise<void> {
  for (;;) {
    const items = await findSharingAccess(table, firstKey);
    const first = items.find(({ id }) => id === firstKey.keyId);
    if (first === undefined) throw new Error(`There is no API key ${firstKey.keyId}, which others replace`);
    const value = first[attribute];
    const different = items.filter((item) => !isDeepStrictEqual(item[attribute], value));
    if (different.length === 0) return;
    const check = checkItem(table, { pk: first.pk, sk: first.sk }, { [attribute]: value });
    const updates = different.map(({ pk, sk }) => ({
      Update: {
        TableName: table.tableName,
        Key: { pk, sk },
        ...updateExpressions(attributeChange(attribute, value), exists('pk')),
      },
    }));
    for (const batch of chunksOf(updates, maxTransactionItems - 1)) {
      if ((await sendTransaction(table.client, [check, ...batch])).length > 0) break;
    }
  }
}
