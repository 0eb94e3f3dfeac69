/** The owners of budgets and rate limits: the organization, and its keys, of which rotated ones share those of the first one. */
import * as z from 'zod/mini';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { byCreation } from '#lambdas/access/directory-table.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { idPattern } from '../http/router.ts';
import type { OrganizationCall, OrganizationDependencies } from './call.ts';
import { cursorError, isKeyId } from './keys/filter.ts';
import { findApiKey } from './keys/find-key.ts';

const apiKeyIdError = { error: 'api_key_id must be the id of an API key, or null' };

/** In a request body; `findOwner` finds the owner. */
export const apiKeyIdField = z.nullable(z.string(apiKeyIdError).check(z.regex(idPattern, apiKeyIdError)));

export function scopeOfKey({ id, organization_id, budget_key_id }: ApiKey): BudgetScope {
  return { organizationId: organization_id, keyId: budget_key_id ?? id };
}

interface FoundOwner {
  scope: BudgetScope;
  /** Whether all keys that share the limits of the scope are revoked. */
  isRevoked: boolean;
}

/** The owner is the organization if the id is `null`. Throws a `GatewayError` (404) if it has no such key. */
export async function findOwner(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  keyId: string | null,
): Promise<FoundOwner> {
  const organizationId = call.organization.id;
  if (keyId === null) return { scope: { organizationId, keyId: null }, isRevoked: false };
  const apiKey = await findApiKey(call, dependencies, keyId);
  const scope = scopeOfKey(apiKey);
  if (apiKey.revoked_at === null) return { scope, isRevoked: false };
  // A key that has replaced it may still be active.
  const firstId = scope.keyId ?? keyId;
  const [firstKeys, replacements] = await Promise.all([
    dependencies.directory.findApiKeys(organizationId, [firstId]),
    dependencies.directory.listReplacements(organizationId, firstId),
  ]);
  return { scope, isRevoked: [...firstKeys, ...replacements].every(({ revoked_at }) => revoked_at !== null) };
}

/** Replacements give their name to the limits of a key that is revoked, or is about to be. */
export type ReplacementsToRead = 'of revoked' | 'of all';

/** The keys that the owners are named after, the oldest first. Of at most 100 keys. */
export async function readOwnerKeys(
  { directory }: Pick<OrganizationDependencies, 'directory'>,
  organizationId: string,
  { scopes, replacements }: { scopes: readonly BudgetScope[]; replacements: ReplacementsToRead },
): Promise<ApiKey[]> {
  const firstIds = [...new Set(scopes.flatMap(({ keyId }) => keyId ?? []))];
  if (firstIds.length === 0) return [];
  const firstKeys = await directory.findApiKeys(organizationId, firstIds);
  const replaced = firstKeys.filter(({ revoked_at }) => revoked_at !== null || replacements === 'of all');
  const lists = await Promise.all(replaced.map(({ id }) => directory.listReplacements(organizationId, id)));
  return [...firstKeys, ...lists.flat()].sort(byCreation);
}

/**
 * Returns the name of a scope: that of the first key, or of its newest replacement once it is revoked. `null` for the
 * organization, and for keys that are not among those of `readOwnerKeys`, the oldest first.
 */
export function ownerNames(apiKeys: readonly ApiKey[]): (scope: BudgetScope) => string | null {
  const names = new Map(apiKeys.map(({ id, name }) => [id, name]));
  const revokedIds = new Set(apiKeys.flatMap(({ id, revoked_at }) => (revoked_at === null ? [] : id)));
  for (const { name, budget_key_id: firstId, revoked_at } of apiKeys) {
    if (firstId !== undefined && revoked_at === null && revokedIds.has(firstId)) names.set(firstId, name);
  }
  return ({ keyId }) => (keyId === null ? null : (names.get(keyId) ?? null));
}

/** The cursor of a list in the order of creation is the id of the last key, or this instead of the organization. */
export const organizationCursor = 'organization';

/** Returns the id of the key. Throws a `GatewayError` (400). */
export function readOwnerCursor(text: string): string | null {
  if (text === organizationCursor) return null;
  if (isKeyId(text)) return text;
  throw cursorError();
}
