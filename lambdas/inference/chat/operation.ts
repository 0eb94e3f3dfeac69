/** Chat completions in OpenAI's format. https://platform.openai.com/docs/api-reference/chat/create */
import { lazy } from '#lambdas/platform/lazy.ts';
import { estimateInput } from '../completion/estimate.ts';
import { openAiErrors } from '../errors.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { completionProtocolOf } from '../providers/protocols.ts';
import { createTextCounter } from '../text-counter.ts';
import { type ChatRequest, parseChatRequest } from './body.ts';
import { hasProviderTools, promptOf } from './prompt.ts';

const loadUsage = lazy(() => import('../completion/limited-usage.ts'));
const loadMaxCost = lazy(async () => {
  const [{ measureMaxCost }, { chatFormat }] = await Promise.all([
    import('../completion/max-cost.ts'),
    import('./attachments.ts'),
  ]);
  return (text: string) => measureMaxCost(text, chatFormat);
});

/** The ends of `content`, `reasoning_content`, `reasoning`, `arguments` of a tool call, and `refusal`. */
const textKeys = ['content":', 'reasoning":', 'arguments":', 'refusal":'].map((key) => Buffer.from(key));

export const chat: Operation = {
  name: 'chat.completions',
  parse: (text) => toOperationRequest(parseChatRequest(text)),
  ...openAiErrors,
};

function toOperationRequest(request: ChatRequest): OperationRequest {
  const { model, stream, text, body } = request;
  const prompt = promptOf(request);
  return {
    model,
    stream,
    prepareFor(provider) {
      const prepare = completionProtocolOf(provider);
      return (context) => prepare({ ...context, request });
    },
    prefetch: () => void loadUsage().catch(() => {}),
    estimateInput: () => estimateInput(prompt),
    createTextCounter: () => createTextCounter(textKeys),
    completeUsage: async (response) =>
      (await loadUsage()).completeLimitedUsage(response, {
        prompt,
        body,
        hasProviderTools: () => hasProviderTools(request),
      }),
    measureMaxCost: async () => (await loadMaxCost())(text),
  };
}
