/** Organizations and their API keys: the records and the interface of their store. */

export interface Organization {
  /** `org_` and 16 base62 characters. */
  id: string;
  name: string;
  /** RFC 3339, milliseconds, UTC. */
  created_at: string;
  /** The number of write shards (partition keys) of its log entries: 1 to 256. It is never lowered. */
  log_shards: number;
}

export interface ApiKey {
  /** `key_` and 16 base62 characters. */
  id: string;
  organization_id: string;
  name: string;
  /** The last four characters of the key, to tell keys apart in a list. */
  last_four: string;
  created_at: string;
  /** RFC 3339; `null` for a key that does not expire. */
  expires_at: string | null;
  /** RFC 3339; `null` when the key is not revoked. */
  revoked_at: string | null;
  /** A copy of `Organization.log_shards` for writing entries. It may be lower for a short time, but never higher. */
  log_shards: number;
}

export interface LogAccess {
  shards: number;
  /** The secret that signs the organization's cursors, see `newCursorKey`. */
  cursorKey: string;
}

export interface Organizations {
  /** Also creates the organization's cursor key. */
  createOrganization(organization: Organization): Promise<void>;
  findOrganization(organizationId: string): Promise<Organization | null>;
  /** Oldest first. */
  listOrganizations(): Promise<Organization[]>;
  /** One strongly consistent read, since readers must not miss a shard that already has entries. */
  logShardsOf(organizationId: string): Promise<number>;
  /** The same read, including the cursor key. */
  logAccessOf(organizationId: string): Promise<LogAccess>;
  /**
   * Raises the number of shards, first in the organization (for readers), then in its keys (for writers). A number that
   * is not higher changes nothing. Returns `null` for an unknown organization.
   */
  raiseLogShards(organizationId: string, logShards: number): Promise<Organization | null>;
}

export interface ApiKeys {
  /** Stores the key under its hash (see `hashApiKey`). */
  createApiKey(apiKey: ApiKey, keyHash: string): Promise<void>;
  /** One strongly consistent read, so that a new key works immediately. */
  findApiKeyByHash(keyHash: string): Promise<ApiKey | null>;
  /** Returns `null` when the organization has no such key. */
  findApiKey(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** Oldest first, including revoked and expired keys. */
  listApiKeys(organizationId: string): Promise<ApiKey[]>;
  /** Revokes the key; keeps the time of an earlier revocation. Returns `null` when the organization has no such key. */
  revokeApiKey(organizationId: string, keyId: string, revokedAt: string): Promise<ApiKey | null>;
  /** Sets the key's expiry unless it expires earlier. Returns `null` when the organization has no such key. */
  expireApiKey(organizationId: string, keyId: string, expiresAt: string): Promise<ApiKey | null>;
}

export interface Directory extends Organizations, ApiKeys {}
