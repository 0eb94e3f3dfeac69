/** The owners of budgets, rate limits and lists of models. */
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { CommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { requireActiveOrganization } from '../organizations/organizations.ts';
import { keyNotFoundError } from './key-text.ts';

interface ScopeOptions {
  organization: string;
  /** `null` for the organization itself. */
  key: string | null;
}

/** Keys that were rotated share what is set for the first one: a note says so. */
export async function readScope(
  { directory, note }: Pick<CommandContext, 'directory' | 'note'>,
  { organization: organizationId, key: keyId }: ScopeOptions,
  {
    shared,
    acceptsRevoked,
  }: { shared: 'budgets' | 'rate limits' | 'allowed models'; acceptsRevoked: boolean },
): Promise<BudgetScope> {
  await requireActiveOrganization(directory, organizationId);
  if (keyId === null) return { organizationId, keyId: null };
  const apiKey = await directory.findApiKey(organizationId, keyId);
  if (apiKey === null) throw keyNotFoundError(keyId, organizationId);
  if (apiKey.revoked_at !== null && !acceptsRevoked) {
    throw new AdminError(
      `Key ${keyId} is revoked: pass an active one, see "key list --organization ${organizationId}"`,
    );
  }
  const { budget_key_id: firstKeyId = keyId } = apiKey;
  if (firstKeyId !== keyId) note(`${keyId} has replaced ${firstKeyId}, and shares its ${shared}`);
  return { organizationId, keyId: firstKeyId };
}

/** `keyId` is `null` for the organization itself. */
export function scopeJson({ organizationId, keyId }: BudgetScope) {
  return { organization_id: organizationId, api_key_id: keyId };
}
