import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { CommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { keyNotFoundError } from '../keys/key-text.ts';
import { requireActiveOrganization } from '../organizations/organizations.ts';

interface ScopeOptions {
  organization: string;
  /** `null` for the budgets of the organization itself. */
  key: string | null;
}

/** Keys that were rotated share the budgets of the first one: a note says so. */
export async function readScope(
  { directory, note }: Pick<CommandContext, 'directory' | 'note'>,
  { organization: organizationId, key: keyId }: ScopeOptions,
  { acceptsRevoked }: { acceptsRevoked: boolean },
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
  if (firstKeyId !== keyId) note(`${keyId} has replaced ${firstKeyId}, and shares its budgets`);
  return { organizationId, keyId: firstKeyId };
}
