/** The Directory tables in which the fake AWS has a key with a hard budget of its own, or also one of its organization. */
export const directoryTables = {
  oneHardBudget: 'directory-with-key-budget',
  twoHardBudgets: 'directory-with-both-budgets',
} as const;
