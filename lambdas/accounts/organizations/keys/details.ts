/** A single key, with the keys that it has replaced or that have replaced it. */
import { recipientOf } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { OrganizationDependencies, OrganizationHandler } from '../call.ts';
import type { ApiKeyDetails, ApiKeySummary } from '../responses.ts';
import { findApiKey } from './find-key.ts';
import { toKeyName } from './names.ts';
import { readKeySummaries } from './summary.ts';
import { usageStartMs } from './usage.ts';

const maxReplacedKeys = 20;

/** `GET /dashboard/api/organizations/{organization}/keys/{key}` */
export const showKeyDetails: OrganizationHandler<ApiKeyDetails> = async (call, dependencies) => {
  const apiKey = await findApiKey(call, dependencies, call.parameters.key ?? '');
  const [[summary], related] = await Promise.all([
    readKeySummaries(call, dependencies, [apiKey]),
    readRotatedKeys(dependencies, apiKey),
  ]);
  if (summary === undefined) throw new Error(`API key ${apiKey.id} has no summary`);
  const now = dependencies.now();
  const replacement = related.find(({ id }) => id === apiKey.rotation?.replacement_id);
  return jsonResponse({
    ...summary,
    replaces: replacedKeys(apiKey, related).map((replaced) => toKeyName(replaced, now)),
    replaced_by: replacement === undefined ? null : toKeyName(replacement, now),
    has_been_seen: isShown(apiKey) || isUsed(summary) || isOlderThanUsage(apiKey, now),
  });
};

/** All keys that share the budgets of the first one. */
async function readRotatedKeys(
  { directory }: OrganizationDependencies,
  { id, organization_id: organizationId, budget_key_id: firstId = id, rotation }: ApiKey,
): Promise<ApiKey[]> {
  if (rotation === null && firstId === id) return [];
  const [firstKeys, replacements] = await Promise.all([
    directory.findApiKeys(organizationId, [firstId]),
    directory.listReplacements(organizationId, firstId),
  ]);
  return [...firstKeys, ...replacements];
}

function replacedKeys(apiKey: ApiKey, related: readonly ApiKey[]): ApiKey[] {
  const byReplacement = new Map(related.map((key) => [key.rotation?.replacement_id, key]));
  const replaced: ApiKey[] = [];
  let current = byReplacement.get(apiKey.id);
  while (current !== undefined && replaced.length < maxReplacedKeys) {
    replaced.push(current);
    current = byReplacement.get(current.id);
  }
  return replaced;
}

/** In the dashboard. An operator has seen a key in a terminal, of which the organization may know nothing. */
function isShown(apiKey: ApiKey): boolean {
  return recipientOf(apiKey).type === 'user';
}

function isUsed({ requests, rejected_requests }: ApiKeySummary): boolean {
  return requests > 0 || rejected_requests > 0;
}

/** Whether it may have been used before the time of the sums. */
function isOlderThanUsage({ created_at }: ApiKey, now: Date): boolean {
  return created_at < periodText('day', usageStartMs(now));
}
