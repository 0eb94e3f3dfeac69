/** Chat completions in OpenAI's format. https://platform.openai.com/docs/api-reference/chat/create */
import { lazy } from '#lambdas/platform/lazy.ts';
import { estimateInput } from '../completion/estimate.ts';
import { openAiErrors } from '../errors.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { chatProtocolOf } from '../providers/protocols.ts';
import { type ChatRequest, parseChatRequest } from './body.ts';
import { promptOf } from './prompt.ts';
import { createTextCounter } from './text-counter.ts';

const loadUsage = lazy(() => import('./usage.ts'));
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
    prepareFor(provider) {
      const prepare = chatProtocolOf(provider);
      return (context) => prepare({ ...context, request });
    },
    prefetch: () => void loadUsage().catch(() => {}),
    estimateInput: () => estimateInput(prompt),
    createTextCounter,
    completeUsage: async (response) => (await loadUsage()).completeChatUsage(response, request),
    measureMaxCost: async () => (await loadMaxCost()).measureMaxCost(text),
  };
}
