import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Creator } from '#lambdas/audit/record.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';

/** The counter of hard budgets, in the keys whose requests reserve from it. The BudgetCounters table has the limits. */
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
  /** Copied to the organization's keys; missing without a hard budget. */
  budget?: BudgetCounterRef;
  /** A deleted organization has no active keys, and its id is not used again. */
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
  expires_at: string | null;
  revoked_at: string | null;
  revoked_by: Creator | null;
  /** A copy of `Organization.log_shards` for writing entries. It may be lower for a short time, but never higher. */
  log_shards: number;
  /** The hard budgets that apply, of the organization and of the key itself; missing if there are none. */
  organization_budget?: BudgetCounterRef;
  key_budget?: BudgetCounterRef;
  /** The key whose budgets apply instead of its own: the first one of those that were rotated. */
  budget_key_id?: string;
}

export function hasHardBudget({ organization_budget, key_budget }: ApiKey): boolean {
  return organization_budget !== undefined || key_budget !== undefined;
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
   * Revokes the organization's keys, and ends its memberships. `null` if there is no such organization; a deleted one is not
   * changed. Throws a `GatewayError` (409) if it was renamed meanwhile.
   */
  deleteOrganization(deletion: OrganizationDeletion): Promise<Organization | null>;
  /**
   * Raises the number of shards, in its keys (for writers) not before the organization (for readers). A number that is not
   * higher changes nothing. `null` if there is no such organization, or it is deleted.
   */
  raiseLogShards(organizationId: string, logShards: number, audit: AuditTrail): Promise<Organization | null>;
}

/** All reads are strongly consistent, so that a new key works immediately. */
export interface ApiKeyReader {
  findApiKeyByHash(keyHash: string): Promise<ApiKey | null>;
  findApiKey(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** Oldest first, including revoked and expired keys. */
  listApiKeys(organizationId: string): Promise<ApiKey[]>;
}

/**
 * Each change writes its audit record in the same transaction. No-ops are not recorded. Changes of a single key
 * resolve to the key afterwards, and to `null` if the organization has no such key. A revoked key does not change any more.
 */
export interface ApiKeyChanges {
  /**
   * Adds the hard budgets of the organization, and those of `budget_key_id`. The number of shards is the organization's, if it
   * has been raised in the meantime. `also` are further changes of the transaction. Resolves to `false` if there is no such
   * organization, or it is deleted. Rejects if the id or hash exists, or the condition of a further change fails.
   */
  createApiKey(
    apiKey: ApiKey,
    keyHash: string,
    audit: AuditTrail,
    ...also: readonly AuditedChange[]
  ): Promise<boolean>;
  renameApiKey(
    organizationId: string,
    keyId: string,
    name: string,
    audit: AuditTrail,
  ): Promise<ApiKey | null>;
  /** `expiresAt` is a timestamp, or `null` for a key that does not expire. */
  changeApiKeyExpiry(
    organizationId: string,
    keyId: string,
    expiresAt: string | null,
    audit: AuditTrail,
  ): Promise<ApiKey | null>;
  /** Keeps the time and the actor of an earlier revocation. */
  revokeApiKey(organizationId: string, keyId: string, audit: AuditTrail): Promise<ApiKey | null>;
  /**
   * Creates the replacement, with budgets like `createApiKey`, and sets the expiry of the old key, in one transaction.
   * `old changed`: since it was read, so that the caller must read it again.
   */
  rotateApiKey(
    old: ApiKey,
    replacement: Replacement,
    audit: AuditTrail,
  ): Promise<'rotated' | 'old changed' | 'no organization'>;
}

interface Replacement {
  apiKey: ApiKey;
  keyHash: string;
  /** The new expiry of the old key. */
  oldExpiresAt: string;
}

export interface DirectoryReader extends OrganizationReader, ApiKeyReader {}

export interface Directory extends DirectoryReader, OrganizationChanges, ApiKeyChanges {}
