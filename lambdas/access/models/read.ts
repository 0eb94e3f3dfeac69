import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import type { KeyAccess } from '../directory.ts';
import type { DirectoryTable } from '../directory-table.ts';
import { keyAccessKey } from '../item-keys.ts';
import { findKeyRecords } from '../keys/read.ts';

/**
 * The models that keys may use, as requests with them read, by the id of the key. Keys that may use all models of their organization
 * are left out.
 */
export async function findKeyModels(
  table: DirectoryTable,
  organizationId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (keyIds.length === 0) return new Map();
  const records = await findKeyRecords(table, organizationId, keyIds);
  const items = await batchGet(
    table,
    records.map(({ keyHash }) => keyAccessKey(keyHash)),
  );
  return new Map(
    items.flatMap((item) => {
      const { id, key_models } = item as unknown as KeyAccess;
      return key_models === undefined ? [] : [[id, key_models] as const];
    }),
  );
}
