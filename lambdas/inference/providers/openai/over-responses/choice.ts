/**
 * Decides whether a request offers functions to a model that reasons. Since GPT-5.4, OpenAI's models take these together only by
 * the Responses API. https://github.com/openai/openai-openapi/issues/541
 */
import { isChatCall } from '#lambdas/inference/chat/body.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';

/** They reason unless the request says otherwise: https://github.com/BerriAI/litellm/pull/34569 */
const reasonsByDefault = /^gpt-(5[.-][6-9]|[6-9])(?!\d)/;

/** Expects a call of a model with this limit. */
export async function reasonsBesideFunctions(call: ProviderCall): Promise<boolean> {
  const { hasFunctions, effort } = await optionsOf(call);
  if (!hasFunctions || effort === 'none') return false;
  return effort !== null || reasonsByDefault.test(call.model);
}

interface ReasoningOptions {
  hasFunctions: boolean;
  effort: unknown;
}

async function optionsOf(call: ProviderCall): Promise<ReasoningOptions> {
  if (isChatCall(call)) return chatOptionsOf(call.request.body);
  const { tools, reasoningEffort } = await call.request.readCompletion();
  return { hasFunctions: tools.some(({ type }) => type !== 'hosted'), effort: reasoningEffort };
}

/** Does not validate the request, which may be forwarded. */
function chatOptionsOf({ tools, reasoning_effort: effort = null }: JsonObject): ReasoningOptions {
  const hasFunctions = filterObjects(tools).some(({ type }) => type === 'function' || type === 'custom');
  return { hasFunctions, effort };
}
