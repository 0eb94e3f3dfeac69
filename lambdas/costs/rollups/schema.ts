/** The keys of the table of cost rollups, for the stack that creates it and the code that reads and writes it. */

export const costRollupsSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** When DynamoDB may delete the item, in seconds since 1970. Sums lack it: only quarantined records expire. */
  expiry: 'expires_at',
} as const;

/** The key of an item. */
export type ItemKey = Record<(typeof costRollupsSchema)['partitionKey' | 'sortKey'], string>;
