import { endOf, isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { findKeyModels } from '#lambdas/access/models/read.ts';
import { type Creator, creatorOf } from '#lambdas/audit/record.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetStatus } from '#lambdas/limits/budgets/status.ts';
import { findRateLimits, type RateLimitRecord } from '#lambdas/limits/rates/store.ts';
import { ratioOf } from '#lambdas/platform/money.ts';
import { readBudgets, summarizeBudgets } from '../budgets/summary.ts';
import type { OrganizationCall, OrganizationDependencies } from '../call.ts';
import { readCreators, type SummarizeCreator, storedCreator } from '../creators.ts';
import { type ReplacementsToRead, readOwnerKeys, scopeOfKey } from '../owners.ts';
import { summarizeRateLimits } from '../rate-limits/summary.ts';
import type { ApiKeyState, ApiKeySummary, BudgetSummary } from '../responses.ts';
import { isManageable } from './find-key.ts';
import { type KeyUsage, noUsage, readKeyUsage } from './usage.ts';

/** Everything that the summaries of keys are made of. */
export interface SummarySources {
  call: OrganizationCall;
  now: Date;
  summarizeCreator: SummarizeCreator;
  /** By key; the others are unused. */
  usage: ReadonlyMap<string, KeyUsage>;
  /** The keys that the budgets are named after, the oldest first. */
  apiKeys: readonly ApiKey[];
  budgets: readonly BudgetStatus[];
  rateLimits: readonly RateLimitRecord[];
  /** The lists of first keys, by their ids. The others may use all models of the organization. */
  models: ReadonlyMap<string, readonly string[]>;
}

/** In the same order. */
export async function readKeySummaries(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  apiKeys: readonly ApiKey[],
): Promise<ApiKeySummary[]> {
  const creators = apiKeys.flatMap(creatorsOf);
  const sources = await readSources(call, dependencies, { apiKeys, creators, replacements: 'of revoked' });
  return apiKeys.map(createKeySummarizer(apiKeys, sources));
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
  const creators = [...creatorsOf(apiKey), creatorOf(call.audit.actor)];
  return readSources(call, dependencies, { apiKeys: [apiKey], creators, replacements: 'of all' });
}

/** For a change that must not wait for anything, such as a revocation: without usage, limits, models and present names. */
export function storedSources(call: OrganizationCall, now: Date): SummarySources {
  return {
    call,
    now,
    summarizeCreator: storedCreator,
    usage: new Map(),
    apiKeys: [],
    budgets: [],
    rateLimits: [],
    models: new Map(),
  };
}

interface Summarized {
  apiKeys: readonly ApiKey[];
  creators: readonly Creator[];
  replacements: ReplacementsToRead;
}

async function readSources(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  { apiKeys, creators, replacements }: Summarized,
): Promise<SummarySources> {
  const { id: organizationId, log_shards: logShards } = call.organization;
  const now = dependencies.now();
  const keyIds = apiKeys.map(({ id }) => id);
  const scopes = [...new Map(apiKeys.map(scopeOfKey).map((scope) => [scope.keyId, scope])).values()];
  const firstIds = scopes.flatMap(({ keyId }) => keyId ?? []);
  const [summarizeCreator, usage, { budgets, owners }, rateLimits, models] = await Promise.all([
    readCreators(dependencies, organizationId, creators),
    readKeyUsage(dependencies.costRollups, { organizationId, logShards }, keyIds, now),
    readBudgetsOf(dependencies, organizationId, { scopes, replacements }),
    findRateLimits(dependencies.directoryTable, scopes),
    findKeyModels(dependencies.directoryTable, organizationId, firstIds),
  ]);
  return { call, now, summarizeCreator, usage, apiKeys: owners, budgets, rateLimits, models };
}

async function readBudgetsOf(
  dependencies: OrganizationDependencies,
  organizationId: string,
  { scopes, replacements }: { scopes: readonly BudgetScope[]; replacements: ReplacementsToRead },
): Promise<{ budgets: BudgetStatus[]; owners: ApiKey[] }> {
  const budgets = await readBudgets(dependencies, scopes);
  const scopesWithBudgets = budgets.map(({ scope }) => scope);
  const owners = await readOwnerKeys(dependencies, organizationId, {
    scopes: scopesWithBudgets,
    replacements,
  });
  return { budgets, owners };
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
  { call, now, summarizeCreator, usage, budgets, rateLimits, models }: SummaryContext,
): ApiKeySummary {
  const used = usage.get(apiKey.id) ?? noUsage;
  const { keyId: firstKeyId } = scopeOfKey(apiKey);
  const patterns = models.get(firstKeyId ?? apiKey.id);
  const { limits = null } = rateLimits.find(({ scope }) => scope.keyId === firstKeyId) ?? {};
  return {
    id: apiKey.id,
    name: apiKey.name,
    last_four: apiKey.last_four,
    state: stateOf(apiKey, now),
    created_at: apiKey.created_at,
    created_by: summarizeCreator(apiKey.created_by),
    rotated_by: apiKey.rotated_by === undefined ? null : summarizeCreator(apiKey.rotated_by),
    expires_at: apiKey.expires_at,
    ends_at: endOf(apiKey),
    replacement_id: apiKey.rotation?.replacement_id ?? null,
    revoked_at: apiKey.revoked_at,
    revoked_by: apiKey.revoked_by && summarizeCreator(apiKey.revoked_by),
    manageable: isManageable(apiKey, call),
    last_used: used.lastUsed,
    spend_usd: used.spentUsd,
    requests: used.requests,
    rejected_requests: used.rejectedRequests,
    unpriced_requests: used.unpricedRequests,
    uncertain_share: ratioOf(used.uncertainUsd, used.spentUsd),
    budgets: budgets.filter(({ api_key_id }) => api_key_id === firstKeyId),
    rate_limits: limits && summarizeRateLimits(limits),
    models: patterns ? [...patterns] : null,
  };
}

export function stateOf(apiKey: ApiKey, now: Date): ApiKeyState {
  if (apiKey.revoked_at !== null) return 'revoked';
  return isActiveApiKey(apiKey, now) ? 'active' : 'expired';
}

function creatorsOf({ created_by, rotated_by, revoked_by }: ApiKey): Creator[] {
  return [created_by, rotated_by ?? [], revoked_by ?? []].flat();
}
