/** The counter of hard budgets, in the keys whose requests reserve from it. The Budgets table has the limits. */
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
}

export interface ApiKey {
  id: string;
  organization_id: string;
  name: string;
  last_four: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
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

export interface Organizations {
  /** Also creates the organization's cursor key. */
  createOrganization(organization: Organization): Promise<void>;
  findOrganization(organizationId: string): Promise<Organization | null>;
  /** Oldest first. */
  listOrganizations(): Promise<Organization[]>;
  /** Reads with strong consistency, since readers must not miss a shard that already has entries. */
  logShardsOf(organizationId: string): Promise<number>;
  /** Reads with strong consistency, like `logShardsOf`. */
  logAccessOf(organizationId: string): Promise<LogAccess>;
  /**
   * Raises the number of shards, first in the organization (for readers), then in its keys (for writers). A number that
   * is not higher changes nothing.
   */
  raiseLogShards(organizationId: string, logShards: number): Promise<Organization | null>;
}

export interface ApiKeys {
  /** Adds the hard budgets of the organization, and those of `budget_key_id`. */
  createApiKey(apiKey: ApiKey, keyHash: string): Promise<void>;
  /** Reads with strong consistency, so that a new key works immediately. */
  findApiKeyByHash(keyHash: string): Promise<ApiKey | null>;
  findApiKey(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** Oldest first, including revoked and expired keys. */
  listApiKeys(organizationId: string): Promise<ApiKey[]>;
  /** Keeps the time of an earlier revocation. */
  revokeApiKey(organizationId: string, keyId: string, revokedAt: string): Promise<ApiKey | null>;
  /** Does nothing when the key expires earlier. */
  expireApiKey(organizationId: string, keyId: string, expiresAt: string): Promise<ApiKey | null>;
}

export interface Directory extends Organizations, ApiKeys {}
