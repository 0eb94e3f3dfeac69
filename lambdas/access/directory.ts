/** Organizations and their API keys: the records, and the store that the rest of the code asks for. */

export interface Organization {
  /** `org_` and 16 base62 characters. */
  id: string;
  name: string;
  /** RFC 3339, milliseconds, UTC. */
  created_at: string;
  /** Over how many partition keys its log entries spread; 1 to 256, only ever raised. */
  log_shards: number;
}

/** An API key as it is stored and shown: the key itself is known to its holder alone. */
export interface ApiKey {
  /** `key_` and 16 base62 characters. */
  id: string;
  organization_id: string;
  name: string;
  /** The key's last four characters, to tell keys apart in a list. */
  last_four: string;
  created_at: string;
  /** RFC 3339; `null` for a key that does not expire. */
  expires_at: string | null;
  /** RFC 3339; `null` while the key is live. */
  revoked_at: string | null;
  /** A copy of the organization's, for whoever writes entries; it may lag behind, never run ahead. */
  log_shards: number;
}

/** What it takes to read an organization's log entries page by page. */
export interface LogAccess {
  shards: number;
  /** Signs the organization's cursors (see `newCursorKey`). For nobody's eyes. */
  cursorKey: string;
}

export interface Organizations {
  /** Makes the organization's cursor key too. */
  createOrganization(organization: Organization): Promise<void>;
  findOrganization(organizationId: string): Promise<Organization | null>;
  /** Oldest first. */
  listOrganizations(): Promise<Organization[]>;
  /** One strongly consistent read, so that no entry is written where a reader does not look. */
  logShardsOf(organizationId: string): Promise<number>;
  /** The same read, for who hands out cursors. */
  logAccessOf(organizationId: string): Promise<LogAccess>;
  /**
   * Raises the number, first for who reads entries, then for who writes them. `null` when there is no such
   * organization; a number that is not higher changes nothing.
   */
  raiseLogShards(organizationId: string, logShards: number): Promise<Organization | null>;
}

export interface ApiKeys {
  /** Stores the key under its hash (see `hashApiKey`). */
  createApiKey(apiKey: ApiKey, keyHash: string): Promise<void>;
  /** One strongly consistent read, so that a key works as soon as it was made. */
  findApiKeyByHash(keyHash: string): Promise<ApiKey | null>;
  /** By its id; `null` when the organization has no such key. */
  findApiKey(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** Oldest first, revoked and expired ones included. */
  listApiKeys(organizationId: string): Promise<ApiKey[]>;
  /** Marks the key revoked. Keeps the first revocation's time; `null` when the organization has no such key. */
  revokeApiKey(organizationId: string, keyId: string, revokedAt: string): Promise<ApiKey | null>;
  /** Ends the key at a time, unless it ends earlier anyway; `null` when the organization has no such key. */
  expireApiKey(organizationId: string, keyId: string, expiresAt: string): Promise<ApiKey | null>;
}

export interface Directory extends Organizations, ApiKeys {}
