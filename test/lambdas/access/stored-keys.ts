/** The keys of an organization, read from their items, which must agree. */
import { expect } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { type DirectoryTable, findRecord, queryPartition } from '#lambdas/access/directory-table.ts';
import { keyAccessKey, keyPartition, organizationKey } from '#lambdas/access/item-keys.ts';
import { toKeyAccess } from '#lambdas/access/key-lookup.ts';
import { listReplacementIds } from '#lambdas/access/keys/read.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

interface StoredKeys {
  /** The oldest first. */
  current: ApiKey[];
  archived: ApiKey[];
}

export async function readStoredKeys(table: DirectoryTable, organizationId: string): Promise<StoredKeys> {
  const read = (archived: boolean) => queryPartition(table, keyPartition({ organizationId, archived }));
  const [current, archived] = [await read(false), await read(true)];
  const organization = await findRecord(table, organizationKey(organizationId));
  expect(organization?.current_keys ?? 0).toBe(current.length);
  const items = [...current, ...archived];
  expect(new Set(items.map(({ sk }) => sk)).size).toBe(items.length);
  for (const item of items) await expectSameInRequests(table, item);
  await expectReplacements(table, items);
  return { current: current.map(toApiKey), archived: archived.map(toApiKey) };
}

async function expectSameInRequests(table: DirectoryTable, item: Item): Promise<void> {
  const access = await findRecord(table, keyAccessKey(String(item.key_hash)));
  const { key_budget: _, ...fields } = toKeyAccess(access ?? {});
  const { id, organization_id, expires_at, rotation, revoked_at, budget_key_id } = item;
  const shared = { id, organization_id, expires_at, rotation, revoked_at };
  expect(fields).toMatchObject(budget_key_id === undefined ? shared : { ...shared, budget_key_id });
}

async function expectReplacements(table: DirectoryTable, items: readonly Item[]): Promise<void> {
  for (const { organization_id, id } of items) {
    const replacements = items.filter(({ budget_key_id }) => budget_key_id === id);
    const found = await listReplacementIds(table, String(organization_id), String(id));
    expect(found).toEqual(replacements.map((item) => item.id).sort());
  }
}

function toApiKey({ pk: _, sk: __, key_hash: ___, ...apiKey }: Item): ApiKey {
  return apiKey as unknown as ApiKey;
}
