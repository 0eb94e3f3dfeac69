import type { OperationName } from '#lambdas/request-log/operation.ts';
import { type ClaudeModels, claudeModels } from './claude-code.ts';

/** Well known and cheap. */
const preferred = {
  'chat.completions': 'openai/gpt-4o-mini',
  embeddings: 'openai/text-embedding-3-small',
} as const satisfies Partial<Record<OperationName, string>>;

/** The model of each operation that code shows; for messages, those of Claude Code. */
export interface ExampleModels extends Record<keyof typeof preferred, string> {
  messages: ClaudeModels;
}

export interface CallableModel {
  id: string;
  operations: readonly OperationName[];
}

/** The ids of the models that can be used for the operation. */
export function modelsFor(operation: OperationName, models: readonly CallableModel[]): string[] {
  return models.filter(({ operations }) => operations.includes(operation)).map(({ id }) => id);
}

/** Returns `null` if none of the models can be used for the operation. */
export function callableExample(
  operation: keyof typeof preferred,
  models: readonly CallableModel[],
): string | null {
  const ids = modelsFor(operation, models);
  return ids.find((id) => id === preferred[operation]) ?? ids[0] ?? null;
}

/** Those that can be called, if there are some. */
export function exampleModels(models: readonly CallableModel[]): ExampleModels {
  const exampleOf = (operation: keyof typeof preferred) =>
    callableExample(operation, models) ?? preferred[operation];
  return {
    'chat.completions': exampleOf('chat.completions'),
    embeddings: exampleOf('embeddings'),
    messages: claudeModels(modelsFor('messages', models)),
  };
}
