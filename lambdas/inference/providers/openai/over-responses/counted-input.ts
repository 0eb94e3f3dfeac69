/**
 * Renders the input of a request as far as the counter of tokens takes it.
 * https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { withoutForeignHostedTools } from '#lambdas/inference/providers/translation/foreign-tools.ts';
import { ignoredSettings } from '#lambdas/inference/providers/translation/parameters.ts';
import { withProviderToolNames } from '#lambdas/inference/providers/translation/tool-names.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { toolNameRule } from '../conversion/tools.ts';
import { renderInput } from './input.ts';
import { renderFormat } from './request.ts';
import { renderToolUse } from './tools.ts';

/** Throws a `GatewayError` (400) that names a parameter without which the input would be another. */
export function renderCountedInput(
  completion: CompletionRequest,
  { provider, model }: { provider: string; model: string },
): JsonObject {
  ignoredSettings(completion.settings, { provider, isSupported: ({ key }) => key !== null });
  const { request: offered } = withoutForeignHostedTools(completion, 'responses');
  const request = withProviderToolNames(offered, toolNameRule);
  const { reasoningEffort: effort, responseFormat } = request;
  const text = renderFormat(responseFormat);
  return {
    model,
    ...renderInput(request, { isOpenAi: true }).fields,
    ...renderToolUse(request),
    ...(effort !== null && { reasoning: { effort } }),
    ...(text.format !== undefined && { text }),
  };
}
