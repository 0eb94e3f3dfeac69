/**
 * The names of the LogEntries table's keys and indexes, and of the attributes that are not fields of an entry. Plain
 * data, so that the stack can create the table from it.
 */

export const logEntriesSchema = {
  /** `<organization>#<shard>`. */
  partitionKey: 'organization_shard',
  /** A UUIDv7, so items are sorted by time. It is also the sort key of every index. */
  sortKey: 'id',
  /** When DynamoDB may delete the item, in seconds since 1970. */
  expiry: 'expires_at',
  /** The last write, in milliseconds since 1970. */
  writtenAt: 'written_at',
  /** The placeholder that the entry has replaced. */
  placeholder: 'placeholder',
  /** The write time of an entry that was restored. After a change of its price, it differs from `writtenAt`. */
  restored: 'restored',
  /**
   * The index of each field. Its partition key is `<organization>#<shard>#<value>`; an item without this attribute is
   * not in the index and costs nothing there.
   */
  indexes: {
    model: { name: 'by-model', partitionKey: 'model_key' },
    provider: { name: 'by-provider', partitionKey: 'provider_key' },
    prompt_id: { name: 'by-prompt', partitionKey: 'prompt_key' },
    session_id: { name: 'by-session', partitionKey: 'session_key' },
    user_id: { name: 'by-user', partitionKey: 'user_key' },
    status: { name: 'by-status', partitionKey: 'status_key' },
  },
  /**
   * Has the table's partition key, and the field as its sort key: neither more attributes of an item nor more items in a
   * partition, also for a server that gives the same id to all responses. Exists with the setting `indexResponseIds`.
   */
  responseIdIndex: { name: 'by-response-id', sortKey: 'response_id' },
} as const;

export type IndexedField = keyof typeof logEntriesSchema.indexes;
