/** Responses in OpenAI's format. https://platform.openai.com/docs/api-reference/responses/create */
import { estimateInput, type Prompt } from '../completion/estimate.ts';
import { completeLimitedUsage } from '../completion/limited-usage.ts';
import { measureMaxCost } from '../completion/max-cost.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { createPlainEndpoint } from '../providers/native/endpoint.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import { createProtocols } from '../providers/protocols.ts';
import { responsesFormat } from './attachments.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { renderErrorEvent, responsesErrors } from './errors.ts';
import { hasProviderTools, promptOf } from './prompt.ts';
import { parseResponsesRequest } from './request.ts';
import { createSentEvents } from './sent-events.ts';

const loadNativeProtocol = () => import('../providers/openai/responses/protocol.ts');

const protocolOf = createProtocols<NativeRequest>('responses', {
  async openai() {
    return (await loadNativeProtocol()).createNativeResponses(createPlainEndpoint);
  },
  async bedrock() {
    const [{ createNativeResponses }, { createBedrockEndpoint }] = await Promise.all([
      loadNativeProtocol(),
      import('../providers/bedrock/native-endpoint.ts'),
    ]);
    return createNativeResponses(createBedrockEndpoint);
  },
});

export const responses: Operation = {
  name: 'responses',
  parse: (text) => toOperationRequest(parseResponsesRequest(text)),
  // An early error must be an HTTP error, by whose status agents decide whether to repeat the request.
  minHeartbeatMs: 1000,
  ...responsesErrors,
};

function toOperationRequest(request: NativeRequest): OperationRequest {
  const { model, stream, text, body } = request;
  const sent = createSentEvents({ stream });
  let conversation: Conversation | null = null;
  const contextTokens = () => conversation?.contextTokens() ?? 0;
  const prompt: Prompt = { ...promptOf(body), contextTokens };
  return {
    model,
    stream,
    prepareFor(provider) {
      const prepare = protocolOf(provider);
      conversation = createConversation(request, provider.api.entry.operations.responses?.keeps ?? 'items');
      return (context) => prepare({ ...context, request });
    },
    openState: async (open) => conversation?.open(open),
    keepState: async (facts) => conversation?.keep(facts),
    estimateInput: () => estimateInput(prompt),
    createTextCounter: () => sent,
    renderErrorEvent: (failure) => renderErrorEvent(failure, sent.nextSequenceNumber()),
    completeUsage: (response) =>
      completeLimitedUsage(response, { prompt, body, hasProviderTools: () => hasProviderTools(body) }),
    async measureMaxCost() {
      const measured = measureMaxCost(text, responsesFormat);
      return { ...measured, textBytes: measured.textBytes + contextTokens() };
    },
  };
}
