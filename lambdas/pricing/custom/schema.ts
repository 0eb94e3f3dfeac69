/** The keys of the Prices table: one item for the prices of a model for all organizations, and one for each other scope. */
export const pricesSchema = {
  /** `<provider>/<model>`, the exact name. */
  partitionKey: 'model',
  /** `all`, or the id of an organization. */
  sortKey: 'scope',
} as const;
