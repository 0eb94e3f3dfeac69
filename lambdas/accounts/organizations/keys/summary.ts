import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { budgetScopeOf } from '../budgets/scope.ts';
import { readBudgetSummaries } from '../budgets/summary.ts';
import type { OrganizationCall } from '../call.ts';
import type { ApiKeySummary, BudgetSummary } from '../responses.ts';
import type { OrganizationServices } from '../services.ts';
import { readCreators, type SummarizeCreator } from './creators.ts';
import { isManageable } from './find-key.ts';
import { type KeyUsage, noUsage, readKeyUsage } from './usage.ts';

/** All keys of the organization, the newest first. */
export async function readKeySummaries(
  call: OrganizationCall,
  services: OrganizationServices,
): Promise<ApiKeySummary[]> {
  const { organization } = call;
  const { id: organizationId, log_shards: logShards } = organization;
  const now = services.now();
  const apiKeys = await services.directory.listApiKeys(organizationId);
  const creators = apiKeys.flatMap(({ created_by, revoked_by }) => [created_by, revoked_by ?? []].flat());
  const [summarizeCreator, usage, budgets] = await Promise.all([
    readCreators(services, organizationId, creators),
    readKeyUsage(services.costRollups, { organizationId, logShards }, now),
    readBudgetSummaries(services, organizationId, apiKeys),
  ]);
  return apiKeys
    .map((apiKey) => toSummary(apiKey, { call, now, summarizeCreator, usage, budgets }))
    .reverse();
}

/** Throws an `Error` for a key that is not in the list. */
export function summaryOf(summaries: readonly ApiKeySummary[], keyId: string): ApiKeySummary {
  const summary = summaries.find(({ id }) => id === keyId);
  if (summary === undefined) throw new Error(`The key ${keyId} is not in its organization`);
  return summary;
}

interface SummaryContext {
  call: OrganizationCall;
  now: Date;
  summarizeCreator: SummarizeCreator;
  usage: ReadonlyMap<string, KeyUsage>;
  budgets: readonly BudgetSummary[];
}

function toSummary(
  apiKey: ApiKey,
  { call, now, summarizeCreator, usage, budgets }: SummaryContext,
): ApiKeySummary {
  const { lastUsedOn, spentUsd, requests } = usage.get(apiKey.id) ?? noUsage;
  const { keyId: budgetKeyId } = budgetScopeOf(apiKey);
  return {
    id: apiKey.id,
    name: apiKey.name,
    last_four: apiKey.last_four,
    state: stateOf(apiKey, now),
    created_at: apiKey.created_at,
    created_by: summarizeCreator(apiKey.created_by),
    expires_at: apiKey.expires_at,
    revoked_at: apiKey.revoked_at,
    revoked_by: apiKey.revoked_by && summarizeCreator(apiKey.revoked_by),
    manageable: isManageable(apiKey, call),
    last_used_on: lastUsedOn,
    spend_30_days_usd: spentUsd,
    requests_30_days: requests,
    budgets: budgets.filter(({ api_key_id }) => api_key_id === budgetKeyId),
  };
}

export function stateOf(apiKey: ApiKey, now: Date): ApiKeySummary['state'] {
  if (apiKey.revoked_at !== null) return 'revoked';
  return isActiveApiKey(apiKey, now) ? 'active' : 'expired';
}
