import { lazy } from '#lambdas/platform/lazy.ts';
import { chat } from './chat/operation.ts';
import type { Operation } from './operation.ts';
import { operationPaths } from './paths.ts';

/** The operations by their paths. */
export type OperationTable = Readonly<Record<string, () => Operation | Promise<Operation>>>;

/** Chat serves most requests and is part of the bundle's entry; the others are loaded on first use. */
export const operations: OperationTable = {
  [operationPaths['chat.completions']]: () => chat,
  [operationPaths.embeddings]: lazy(async () => (await import('./embeddings/operation.ts')).embeddings),
  [operationPaths.messages]: lazy(async () => (await import('./messages/operation.ts')).messages),
  [operationPaths.responses]: lazy(async () => (await import('./responses/operation.ts')).responses),
};
