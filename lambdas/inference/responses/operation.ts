/** Responses in OpenAI's format. https://platform.openai.com/docs/api-reference/responses/create */
import { lazy } from '#lambdas/platform/lazy.ts';
import { estimateInput, type Prompt } from '../completion/estimate.ts';
import { completeLimitedUsage } from '../completion/limited-usage.ts';
import { measureMaxCost } from '../completion/max-cost.ts';
import { mayHaveSignatures } from '../completion/signatures.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { createPlainEndpoint } from '../providers/native/endpoint.ts';
import { prepareNativeOrTranslated } from '../providers/native/prepare.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import { createProtocols } from '../providers/protocols.ts';
import { responsesFormat } from './attachments.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { renderErrorEvent, responsesErrors } from './errors.ts';
import { reasoningIdPrefix } from './ids.ts';
import { hasProviderTools, promptOf } from './prompt.ts';
import { parseResponsesRequest } from './request.ts';
import type { RenderFailure } from './response/writer.ts';
import { createSentEvents } from './sent-events.ts';

const loadNativeProtocol = () => import('../providers/openai/responses/protocol.ts');

const nativeProtocolOf = createProtocols<NativeRequest>('responses', {
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

const loadTranslation = lazy(async () => (await import('./translated-request.ts')).translatedRequest);
const loadStripping = lazy(async () => (await import('./foreign-reasoning.ts')).withoutForeignReasoning);

async function withoutForeignReasoning(request: NativeRequest): Promise<NativeRequest> {
  if (!mayHaveSignatures(request) && !request.text.includes(reasoningIdPrefix)) return request;
  const withoutReasoning = await loadStripping();
  return withoutReasoning(request);
}

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
  /** For a request that is forwarded. */
  let conversation: Conversation | null = null;
  /** For a response that is translated. */
  let renderFailure: RenderFailure | null = null;
  const contextTokens = () => conversation?.contextTokens() ?? 0;
  const prompt: Prompt = { ...promptOf(body), contextTokens };
  return {
    model,
    stream,
    prepareFor: (provider) =>
      prepareNativeOrTranslated(provider, {
        operation: 'responses',
        nativeProtocolOf,
        async readNative() {
          const native = await withoutForeignReasoning(request);
          const { keeps = 'items' } = provider.api.entry.operations.responses ?? {};
          conversation = createConversation(native, keeps);
          return native;
        },
        async readTranslated(context) {
          const translatedRequest = await loadTranslation();
          return translatedRequest(request, {
            context,
            prompt,
            onRenderer(renderer) {
              renderFailure = renderer;
            },
          });
        },
      }),
    openState: async (open) => conversation?.open(open),
    keepState: async (facts) => conversation?.keep(facts),
    estimateInput: () => estimateInput(prompt),
    createTextCounter: () => sent,
    renderErrorEvent: (failure) =>
      renderFailure?.(failure) ?? renderErrorEvent(failure, sent.nextSequenceNumber()),
    completeUsage: (response) =>
      completeLimitedUsage(response, { prompt, body, hasProviderTools: () => hasProviderTools(body) }),
    async measureMaxCost() {
      const measured = measureMaxCost(text, responsesFormat);
      return { ...measured, textBytes: measured.textBytes + contextTokens() };
    },
  };
}
