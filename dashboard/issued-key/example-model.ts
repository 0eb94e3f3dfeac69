import type { CallableModel } from '#lambdas/accounts/test-request/responses.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { type ClaudeModels, claudeModels, codexModel, defaultCodexModel } from './agents.ts';

/** Well known and cheap. */
const preferred = {
  'chat.completions': 'openai/gpt-4o-mini',
  responses: 'openai/gpt-4o-mini',
  embeddings: 'openai/text-embedding-3-small',
} as const satisfies Partial<Record<OperationName, string>>;

/** The models that code and the settings of agents show; `null` if no model can be used there. */
export interface ExampleModels extends Record<Exclude<keyof typeof preferred, 'responses'>, string> {
  responses: string | null;
  claudeCode: ClaudeModels;
  codex: string | null;
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

/** Models that can be called, if there are some. Not all providers have the Responses API. */
export function exampleModels(models: readonly CallableModel[]): ExampleModels {
  const exampleOf = (operation: keyof typeof preferred) =>
    callableExample(operation, models) ?? preferred[operation];
  const isUnknown = models.length === 0;
  return {
    'chat.completions': exampleOf('chat.completions'),
    responses: isUnknown ? preferred.responses : callableExample('responses', models),
    embeddings: exampleOf('embeddings'),
    claudeCode: claudeModels(modelsFor('messages', models)),
    codex: isUnknown ? defaultCodexModel : codexModel(modelsFor('responses', models)),
  };
}
