/** The keys of the Accounts table. Used by the stack that creates it and the code that reads it. */
export const accountsSchema = { partitionKey: 'pk', sortKey: 'sk', expiry: 'expires_at' } as const;
