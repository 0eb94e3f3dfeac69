/** The keys of the Directory table. Used by the stack that creates it and the code that reads it. */
export const directorySchema = { partitionKey: 'pk', sortKey: 'sk' } as const;
