/** The key schema of the cost rollups table, for the stack and the code that reads and writes it. */

export const costRollupsSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** The TTL attribute, in seconds since 1970. Quarantine items and marks of restored entries have it; sums do not expire. */
  expiry: 'expires_at',
} as const;

export type ItemKey = Record<(typeof costRollupsSchema)['partitionKey' | 'sortKey'], string>;
