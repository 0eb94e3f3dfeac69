/** The operations by their paths. Chat serves most requests and is part of the bundle's entry; others load on first use. */
import { chat } from './chat/operation.ts';
import type { Operation } from './operation.ts';
import { operationPaths } from './routes.ts';

export type OperationTable = Readonly<Record<string, () => Operation | Promise<Operation>>>;

export const operations: OperationTable = {
  [operationPaths['chat.completions']]: () => chat,
};
