/** The operations of the gateway, by the names of the resources in the providers' clients. */
export const operations = ['chat.completions', 'embeddings', 'messages', 'responses'] as const;

export type OperationName = (typeof operations)[number];

/** The operation of items and keys that name none, which keeps those of most requests small. */
export const unnamedOperation = 'chat.completions' satisfies OperationName;
