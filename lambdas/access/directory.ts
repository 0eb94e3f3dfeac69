import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Creator } from '#lambdas/audit/record.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import type { RateLimits } from './rate-limits.ts';

/** The counter of hard budgets, from which requests reserve. The BudgetCounters table has the limits. */
export interface BudgetCounterRef {
  id: string;
  /** The number of items of the counter. */
  shards: number;
  allows_unpriced: boolean;
}

export interface Organization {
  id: string;
  name: string;
  /** RFC 3339 in UTC with milliseconds, like all timestamps of the directory. */
  created_at: string;
  /** The number of write shards (partition keys) of its log entries: 1 to 256. It is never lowered. */
  log_shards: number;
  /** Missing without a hard budget. */
  budget?: BudgetCounterRef;
  /** Missing without rate limits of the organization. */
  rate_limits?: RateLimits;
  /** The models that its keys may use, as patterns: see `allow-list.ts`. Missing for all. */
  models?: readonly string[];
  /** Whether a user, not only an operator, has created or rotated a key and so was shown it. Missing otherwise. */
  key_shown?: boolean;
  /** The keys of a deleted organization are refused, and its id is not used again. */
  deleted_at?: string;
}

/** False for a deleted organization too, whose record remains for its log entries and sums. */
export function exists(organization: Organization | null): organization is Organization {
  return organization !== null && organization.deleted_at === undefined;
}

export interface ApiKey {
  id: string;
  organization_id: string;
  name: string;
  last_four: string;
  created_at: string;
  created_by: Creator;
  /** For a key that has replaced another: who was shown it. `created_by` is that of the replaced key. */
  rotated_by?: Creator;
  /** As its owner has set it; `null` for a key that does not expire by itself. `endOf` also knows the rotation. */
  expires_at: string | null;
  /** Set when another key has replaced it. */
  rotation: KeyRotation | null;
  revoked_at: string | null;
  revoked_by: Creator | null;
  /** The key whose budgets apply instead of its own: the first one of those that were rotated. */
  budget_key_id?: string;
}

export interface KeyRotation {
  replacement_id: string;
  /** The end of the overlap, in which both keys work. */
  ends_at: string;
}

/** The part of a key that requests need. It has an item of its own, under the hash. */
export interface KeyAccess
  extends Pick<
    ApiKey,
    'id' | 'organization_id' | 'expires_at' | 'rotation' | 'revoked_at' | 'budget_key_id'
  > {
  /** Missing without a hard budget of the key. */
  key_budget?: BudgetCounterRef;
  /** Missing without rate limits of the key. */
  key_rate_limits?: RateLimits;
  /** The models that the key may use, as patterns. Missing for all that its organization may use. */
  key_models?: readonly string[];
}

/** The key of a request, with what applies to all requests of its organization. */
export interface RequestKey extends KeyAccess {
  /** See `Organization`. An earlier number, up to the time for which functions cache it. */
  log_shards: number;
  /** Missing without a hard budget of the organization. */
  organization_budget?: BudgetCounterRef;
  /** Missing without rate limits of the organization. */
  organization_rate_limits?: RateLimits;
  /** Missing if the organization may use all models. */
  organization_models?: readonly string[];
}

export function hasHardBudget({ organization_budget, key_budget }: RequestKey): boolean {
  return organization_budget !== undefined || key_budget !== undefined;
}

/** Whether a hard budget or rate limits apply to the key's requests: without, they need no call before the provider. */
export function hasLimits(apiKey: RequestKey): boolean {
  const { organization_rate_limits, key_rate_limits } = apiKey;
  return hasHardBudget(apiKey) || organization_rate_limits !== undefined || key_rate_limits !== undefined;
}

/** Whether the key may use only some models. */
export function hasModelList({ organization_models, key_models }: RequestKey): boolean {
  return organization_models !== undefined || key_models !== undefined;
}

export interface LogAccess {
  shards: number;
  /** The secret that signs the organization's cursors. */
  cursorKey: string;
}

/** All reads are strongly consistent: they include every earlier change. */
export interface OrganizationReader {
  findOrganization(organizationId: string): Promise<Organization | null>;
  /** Oldest first, including deleted ones. */
  listOrganizations(): Promise<Organization[]>;
  /** Rejects without an organization. Readers must not miss a shard that already has entries. */
  logShardsOf(organizationId: string): Promise<number>;
  /** Rejects like `logShardsOf`. */
  logAccessOf(organizationId: string): Promise<LogAccess>;
}

/** Each change writes its audit record in the same transaction. No-ops are not recorded. */
export interface OrganizationDeletion {
  organizationId: string;
  /** The name that the caller has confirmed. */
  confirmedName?: string;
  audit: AuditTrail;
  /**
   * The items that remove members and invitations, for each attempt again: if one of them fails, they have changed. Those of
   * owners come last: after a failure, they can delete the organization again.
   */
  readMemberships(): Promise<readonly TransactItem[]>;
}

export interface OrganizationChanges {
  /**
   * Also creates the organization's cursor key. `alsoWrite` are further items of the transaction. Rejects if the id exists, or
   * the condition of a further item fails.
   */
  createOrganization(
    organization: Organization,
    audit: AuditTrail,
    alsoWrite?: readonly TransactItem[],
  ): Promise<void>;
  /** `null` if there is no such organization, or it is deleted. */
  renameOrganization(organizationId: string, name: string, audit: AuditTrail): Promise<Organization | null>;
  /**
   * Ends the organization's memberships. Its keys are refused from then on. `null` if there is no such organization; a deleted one is not
   * changed. Throws a `GatewayError` (409) if it was renamed meanwhile.
   */
  deleteOrganization(deletion: OrganizationDeletion): Promise<Organization | null>;
  /** A number that is not higher changes nothing. `null` if there is no such organization, or it is deleted. */
  raiseLogShards(organizationId: string, logShards: number, audit: AuditTrail): Promise<Organization | null>;
}

/** A part of an organization's keys, the newest first. */
export interface ApiKeyQuery {
  organizationId: string;
  /** Revoked keys, and expired ones that were archived, or the others: see `maxCurrentKeys`. */
  archived: boolean;
  /** The id after which the keys begin; `null` for the newest. */
  before: string | null;
  limit: number;
}

export interface ApiKeyPage {
  apiKeys: ApiKey[];
  /** Whether there are further keys. */
  more: boolean;
}

/** All reads are strongly consistent, so that a new key works immediately. */
export interface ApiKeyReader {
  /** With the organization's own settings. The key of a deleted organization counts as revoked. */
  findApiKeyByHash(keyHash: string): Promise<RequestKey | null>;
  findApiKey(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** In any order. Ids without a key are left out. */
  findApiKeys(organizationId: string, keyIds: readonly string[]): Promise<ApiKey[]>;
  queryApiKeys(query: ApiKeyQuery): Promise<ApiKeyPage>;
  /** At most `maxCurrentKeys`, the newest first: all active keys, and expired ones that are not archived. */
  listCurrentApiKeys(organizationId: string): Promise<ApiKey[]>;
  /** The keys that spend the budgets of a key because they have replaced it, the oldest first. */
  listReplacements(organizationId: string, firstKeyId: string): Promise<ApiKey[]>;
}

/** A change that is made together with the creation of a key. */
export interface NewKeyChange extends AuditedChange {
  /** With which requests find the key. */
  limits?: Pick<KeyAccess, 'key_rate_limits' | 'key_models'>;
}

/**
 * Each change writes its audit record in the same transaction. No-ops are not recorded. Changes of a single key
 * resolve to the key afterwards, and to `null` if the organization has no such key. A revoked key does not change any more.
 */
export interface ApiKeyChanges {
  /**
   * `apiKey` has no `budget_key_id`, which replacements have. `also` are further changes of the transaction. Resolves to `false` if there is no
   * such organization, or it is deleted. Throws a `GatewayError` (409) if it has `maxCurrentKeys`, none of them expired. Rejects
   * if the id or hash exists, or the condition of a further change fails.
   */
  createApiKey(
    apiKey: ApiKey,
    keyHash: string,
    audit: AuditTrail,
    ...also: readonly NewKeyChange[]
  ): Promise<boolean>;
  renameApiKey(
    organizationId: string,
    keyId: string,
    name: string,
    audit: AuditTrail,
  ): Promise<ApiKey | null>;
  /** `expiresAt` is a timestamp, or `null` for a key that does not expire. A key in the archive does not change. */
  changeApiKeyExpiry(
    organizationId: string,
    keyId: string,
    expiresAt: string | null,
    audit: AuditTrail,
  ): Promise<ApiKey | null>;
  /** Keeps the time and the actor of an earlier revocation. */
  revokeApiKey(organizationId: string, keyId: string, audit: AuditTrail): Promise<ApiKey | null>;
  /**
   * Creates the replacement like `createApiKey`, and sets the rotation of the old key or revokes it, in one transaction. Resolves to
   * the old key afterwards. `old changed`: since it was read, so that the caller must read it again.
   */
  rotateApiKey(
    old: ApiKey,
    replacement: Replacement,
    audit: AuditTrail,
  ): Promise<{ replaced: ApiKey } | 'old changed' | 'no organization'>;
}

export interface Replacement {
  apiKey: ApiKey;
  keyHash: string;
  /** When the old key ends. */
  overlapEnd: string;
  /** Without an overlap: the old key is revoked in the same transaction. */
  revokesOld: boolean;
}

/**
 * The most keys that an organization can have besides those in its archive. So all active keys can be read at once. Revoked keys
 * are archived at once, expired ones when there is no room for a new key.
 */
export const maxCurrentKeys = 10_000;

export interface DirectoryReader extends OrganizationReader, ApiKeyReader {}

export interface Directory extends DirectoryReader, OrganizationChanges, ApiKeyChanges {}
