/** Chat completions in OpenAI's format. https://platform.openai.com/docs/api-reference/chat/create */
import { lazy } from '#lambdas/platform/lazy.ts';
import { completeUsage, estimateInput, estimateTokens } from '../completion/estimate.ts';
import { openAiErrors } from '../errors.ts';
import type { KnownFacts, Operation, OperationRequest, ReceivedResponse } from '../operation.ts';
import { chatProtocolOf } from '../providers/protocols.ts';
import { type ChatRequest, parseChatRequest } from './body.ts';
import { isAboveRequested, isOutputAboveLimit, withOutputWarning } from './output-limit.ts';
import { promptOf } from './prompt.ts';
import { createTextCounter } from './text-counter.ts';

const loadMaxCost = lazy(() => import('./max-cost.ts'));

export const chat: Operation = {
  name: 'chat.completions',
  parse: (text) => toOperationRequest(parseChatRequest(text)),
  ...openAiErrors,
};

function toOperationRequest(request: ChatRequest): OperationRequest {
  const { model, stream, text } = request;
  const prompt = promptOf(request);
  return {
    model,
    stream,
    prepare: async (provider, context) => chatProtocolOf(provider)({ ...context, request }),
    estimateInput: () => estimateInput(prompt),
    createTextCounter,
    completeUsage: async (response) => withOutputCheck(request, response, completeUsage(response, prompt)),
    measureMaxCost: async () => (await loadMaxCost()).measureMaxCost(text),
  };
}

async function withOutputCheck(
  { body: requestBody }: ChatRequest,
  { facts: { textBytes }, ...response }: ReceivedResponse,
  known: KnownFacts,
): Promise<KnownFacts> {
  const { facts } = known;
  if (!isAboveRequested(facts, requestBody)) return known;
  const textTokens = () => estimateTokens(textBytes ?? response.textBytes());
  const { outputLimit } = response;
  const isAboveLimit = await isOutputAboveLimit({ facts, requestBody, textTokens, outputLimit });
  return isAboveLimit ? { ...known, facts: withOutputWarning(facts) } : known;
}
