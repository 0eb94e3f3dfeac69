/**
 * Chooses between the two APIs that OpenAI has for completions: some models have only that of responses, and others take functions
 * beside reasoning only there. Part of the bundle's entry.
 */
import { isChatCall } from '#lambdas/inference/chat/body.ts';
import type { ResponsesModels } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { filterObjects } from '#lambdas/platform/json/json.ts';

/** They reason unless the request says otherwise: https://github.com/BerriAI/litellm/pull/34569 */
const reasonsByDefault = /^gpt-(5[.-][6-9]|[6-9])(?!\d)/;

/** Whether a request needs the Responses API. One of chat, which may be forwarded, is not validated. */
export function needsResponses(
  { only, withFunctions }: ResponsesModels,
  call: ProviderCall,
): boolean | Promise<boolean> {
  const { model } = call;
  if (only.test(model)) return true;
  if (!withFunctions.test(model)) return false;
  if (!isChatCall(call)) return offersFunctions(call);
  const { tools, reasoning_effort: effort } = call.request.body;
  return filterObjects(tools).some(isCallable) && reasons(model, effort);
}

async function offersFunctions({ model, request }: ProviderCall): Promise<boolean> {
  const { tools, reasoningEffort } = await request.readCompletion();
  return tools.some(isCallable) && reasons(model, reasoningEffort);
}

function isCallable({ type }: { type?: unknown }): boolean {
  return type === 'function' || type === 'custom';
}

function reasons(model: string, effort: unknown): boolean {
  return effort == null ? reasonsByDefault.test(model) : effort !== 'none';
}
