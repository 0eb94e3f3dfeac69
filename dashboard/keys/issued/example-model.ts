import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { SnippetOperation } from './snippets.ts';

/** Well known and cheap. */
const preferred: Record<SnippetOperation, string> = {
  'chat.completions': 'openai/gpt-4o-mini',
  embeddings: 'openai/text-embedding-3-small',
};

export interface CallableModel {
  id: string;
  operations: readonly OperationName[];
}

/** The ids of the models that can be used for the operation. */
export function modelsFor(operation: SnippetOperation, models: readonly CallableModel[]): string[] {
  return models.filter(({ operations }) => operations.includes(operation)).map(({ id }) => id);
}

/** Returns `null` if none of the models can be used for the operation. */
export function callableExample(
  operation: SnippetOperation,
  models: readonly CallableModel[],
): string | null {
  const ids = modelsFor(operation, models);
  return ids.find((id) => id === preferred[operation]) ?? ids[0] ?? null;
}

/** Those that can be called, if there are some. */
export function exampleModels(models: readonly CallableModel[]): Record<SnippetOperation, string> {
  const exampleOf = (operation: SnippetOperation) =>
    callableExample(operation, models) ?? preferred[operation];
  return { 'chat.completions': exampleOf('chat.completions'), embeddings: exampleOf('embeddings') };
}
