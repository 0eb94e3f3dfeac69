/**
 * The table of log entries: the names of its keys, of its indexes and of the attributes that are no fields of an entry.
 * Plain data, since the stack creates the table from it too.
 */

export const logEntriesSchema = {
  /** `<organization>#<shard>`. */
  partitionKey: 'organization_shard',
  /** A UUIDv7: in order of the id is in order of time. It is the sort key of every index too. */
  sortKey: 'id',
  /** When DynamoDB may delete the item, in seconds since 1970. */
  expiry: 'expires_at',
  /** When the item was last written, in milliseconds since 1970. */
  writtenAt: 'written_at',
  /** When the placeholder was written whose place the entry has taken; most items lack it. */
  placeholderWrittenAt: 'placeholder_written_at',
  /**
   * By the field that each is for. The partition key is `<organization>#<shard>#<value>`; an item without the attribute
   * is not in the index and costs nothing there.
   */
  indexes: {
    model: { name: 'by-model', partitionKey: 'model_key' },
    provider: { name: 'by-provider', partitionKey: 'provider_key' },
    prompt_id: { name: 'by-prompt', partitionKey: 'prompt_key' },
    session_id: { name: 'by-session', partitionKey: 'session_key' },
    user_id: { name: 'by-user', partitionKey: 'user_key' },
    status: { name: 'by-status', partitionKey: 'status_key' },
  },
} as const;

/** A field that has an index. */
export type IndexedField = keyof typeof logEntriesSchema.indexes;
