/** The Directory tables in which the fake AWS has a key with a hard budget of its own, or also one of its organization, or rate limits. */
export const directoryTables = {
  oneHardBudget: 'directory-with-key-budget',
  twoHardBudgets: 'directory-with-both-budgets',
  rateLimits: 'directory-with-rate-limits',
} as const;
