/** Plain data, so that the stack can create the table and its filter from it. */

/** The key of the BudgetCounters table. */
export const budgetCountersSchema = {
  /**
   * `<organization>/<item>` for the organization's budgets and rate limits; `<organization>/<key>` for those of a key, and
   * `<organization>/<key>/<item>` for its further items.
   */
  partitionKey: 'counter_key',
} as const;

/** The partition of the Directory table with the pending changes of all budgets, for the filter of its stream. */
export const pendingChangesPartition = 'budget-changes';
