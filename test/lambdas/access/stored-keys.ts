/** The keys of an organization, read from their items, which must agree. */
import { expect } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { type DirectoryTable, findRecord, queryPartition } from '#lambdas/access/directory-table.ts';
import { keyAccessKey, keyPartition, organizationKey, replacementsOf } from '#lambdas/access/item-keys.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

interface StoredKeys {
  /** The oldest first. */
  current: ApiKey[];
  archived: ApiKey[];
}

/** `furtherKeys`: the number of keys that only the organization's count has. */
export async function readStoredKeys(
  table: DirectoryTable,
  organizationId: string,
  furtherKeys = 0,
): Promise<StoredKeys> {
  const read = (archived: boolean) => queryPartition(table, keyPartition({ organizationId, archived }));
  const [current, archived] = [await read(false), await read(true)];
  const organization = await findRecord(table, organizationKey(organizationId));
  expect(organization?.current_keys ?? 0).toBe(current.length + furtherKeys);
  const items = [...current, ...archived];
  expect(new Set(items.map(({ sk }) => sk)).size).toBe(items.length);
  await expectSameInRequests(table, items);
  await expectReplacements(table, organizationId, items);
  return { current: current.map(toApiKey), archived: archived.map(toApiKey) };
}

async function expectSameInRequests(table: DirectoryTable, items: readonly Item[]): Promise<void> {
  const found = await batchGet(
    table,
    items.map(({ key_hash }) => keyAccessKey(String(key_hash))),
  );
  const access = new Map(found.map(({ pk, sk: _, key_budget: __, ...fields }) => [pk, fields]));
  for (const { key_hash, id, organization_id, expires_at, rotation, revoked_at, budget_key_id } of items) {
    const shared = { id, organization_id, expires_at, rotation, revoked_at };
    expect(access.get(keyAccessKey(String(key_hash)).pk)).toMatchObject(
      budget_key_id === undefined ? shared : { ...shared, budget_key_id },
    );
  }
}

async function expectReplacements(
  table: DirectoryTable,
  organizationId: string,
  items: readonly Item[],
): Promise<void> {
  const pointers = await queryPartition(table, replacementsOf(organizationId, '').partition);
  const replacements = items.filter(({ budget_key_id }) => budget_key_id !== undefined);
  expect(pointers.map(({ sk }) => sk)).toEqual(
    replacements.map(({ budget_key_id, id }) => `${budget_key_id}/${id}`).sort(),
  );
}

function toApiKey({ pk: _, sk: __, key_hash: ___, ...apiKey }: Item): ApiKey {
  return apiKey as unknown as ApiKey;
}
