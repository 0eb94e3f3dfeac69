import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { type Creator, creatorOf } from '#lambdas/audit/record.ts';
import type { BudgetStatus } from '#lambdas/limits/budgets/budgets.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { ratioOf } from '#lambdas/platform/money.ts';
import { budgetScopeOf, readBudgets, summarizeBudgets } from '../budget-summary.ts';
import type { OrganizationCall, OrganizationDependencies } from '../call.ts';
import { readCreators, type SummarizeCreator, storedCreator } from '../creators.ts';
import type { ApiKeySummary, BudgetSummary } from '../responses.ts';
import { isManageable } from './find-key.ts';
import { type KeyUsage, noUsage, readKeyUsage } from './usage.ts';

/** Keys that were revoked or have expired are listed for this long. */
const endedDays = 90;
const endedMs = endedDays * dayMs;

/** Everything that the summaries of keys are made of. */
export interface SummarySources {
  call: OrganizationCall;
  now: Date;
  summarizeCreator: SummarizeCreator;
  /** By key; the others are unused. */
  usage: ReadonlyMap<string, KeyUsage>;
  /** All keys that may share the budgets, the oldest first. */
  apiKeys: readonly ApiKey[];
  budgets: readonly BudgetStatus[];
}

/** The keys of the organization, the newest first, without those that ended more than 90 days ago. */
export async function readKeySummaries(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
): Promise<ApiKeySummary[]> {
  const apiKeys = await dependencies.directory.listCurrentApiKeys(call.organization.id);
  const endedAfter = new Date(dependencies.now().getTime() - endedMs).toISOString();
  const listed = apiKeys.filter((apiKey) => (endOf(apiKey) ?? endedAfter) >= endedAfter);
  const sources = await readSources(call, dependencies, { apiKeys, creators: listed.flatMap(creatorsOf) });
  return listed.map(createKeySummarizer(listed, sources)).reverse();
}

/**
 * Reads what the summaries of a key and of its replacement need. Changes call it before they write, since nothing may fail
 * once they have: a new key can be shown only in the response.
 */
export async function readSourcesOf(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  apiKey: ApiKey,
): Promise<SummarySources> {
  const apiKeys = await dependencies.directory.listCurrentApiKeys(call.organization.id);
  const creators = [...creatorsOf(apiKey), creatorOf(call.audit.actor)];
  return readSources(call, dependencies, { apiKeys, creators });
}

/** For a change that must not wait for anything, such as a revocation: without usage, budgets and present names. */
export function storedSources(call: OrganizationCall, now: Date): SummarySources {
  return { call, now, summarizeCreator: storedCreator, usage: new Map(), apiKeys: [], budgets: [] };
}

async function readSources(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  { apiKeys, creators }: { apiKeys: readonly ApiKey[]; creators: readonly Creator[] },
): Promise<SummarySources> {
  const { id: organizationId, log_shards: logShards } = call.organization;
  const now = dependencies.now();
  const [summarizeCreator, usage, budgets] = await Promise.all([
    readCreators(dependencies, organizationId, creators),
    readKeyUsage(dependencies.costRollups, { organizationId, logShards }, now),
    readBudgets(dependencies, organizationId),
  ]);
  return { call, now, summarizeCreator, usage, apiKeys, budgets };
}

/** Summarizes these keys. The sources may have an earlier state of them, or lack new ones. */
export function createKeySummarizer(
  apiKeys: readonly ApiKey[],
  sources: SummarySources,
): (apiKey: ApiKey) => ApiKeySummary {
  const byId = new Map([...sources.apiKeys, ...apiKeys].map((apiKey) => [apiKey.id, apiKey]));
  const budgets = summarizeBudgets(sources.budgets, [...byId.values()]);
  return (apiKey) => toSummary(apiKey, { ...sources, budgets });
}

type SummaryContext = Omit<SummarySources, 'apiKeys' | 'budgets'> & { budgets: readonly BudgetSummary[] };

function toSummary(
  apiKey: ApiKey,
  { call, now, summarizeCreator, usage, budgets }: SummaryContext,
): ApiKeySummary {
  const { lastUsedOn, spentUsd, uncertainUsd, requests, unpricedRequests } = usage.get(apiKey.id) ?? noUsage;
  const { keyId: budgetKeyId } = budgetScopeOf(apiKey);
  return {
    id: apiKey.id,
    name: apiKey.name,
    last_four: apiKey.last_four,
    state: stateOf(apiKey, now),
    created_at: apiKey.created_at,
    created_by: summarizeCreator(apiKey.created_by),
    rotated_by: apiKey.rotated_by === undefined ? null : summarizeCreator(apiKey.rotated_by),
    expires_at: apiKey.expires_at,
    revoked_at: apiKey.revoked_at,
    revoked_by: apiKey.revoked_by && summarizeCreator(apiKey.revoked_by),
    manageable: isManageable(apiKey, call),
    last_used_on: lastUsedOn,
    spend_30_days_usd: spentUsd,
    requests_30_days: requests,
    unpriced_requests_30_days: unpricedRequests,
    uncertain_share_30_days: ratioOf(uncertainUsd, spentUsd),
    budgets: budgets.filter(({ api_key_id }) => api_key_id === budgetKeyId),
  };
}

export function stateOf(apiKey: ApiKey, now: Date): ApiKeySummary['state'] {
  if (apiKey.revoked_at !== null) return 'revoked';
  return isActiveApiKey(apiKey, now) ? 'active' : 'expired';
}

function creatorsOf({ created_by, rotated_by, revoked_by }: ApiKey): Creator[] {
  return [created_by, rotated_by ?? [], revoked_by ?? []].flat();
}

/** When the key stopped or stops to work; `null` if it works until it is revoked. */
function endOf({ expires_at, revoked_at }: ApiKey): string | null {
  const [first = null] = [expires_at, revoked_at].filter((time) => time !== null).sort();
  return first;
}
