/** Messages in Anthropic's format. https://platform.claude.com/docs/en/api/messages/create */
import { lazy } from '#lambdas/platform/lazy.ts';
import { estimateInput } from '../completion/estimate.ts';
import { completeLimitedUsage } from '../completion/limited-usage.ts';
import { measureMaxCost } from '../completion/max-cost.ts';
import { mayHaveSignatures } from '../completion/signatures.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { createPlainEndpoint } from '../providers/native/endpoint.ts';
import { prepareNativeOrTranslated } from '../providers/native/prepare.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import { createProtocols } from '../providers/protocols.ts';
import { createTextCounter } from '../text-counter.ts';
import { messagesFormat } from './attachments.ts';
import { messagesErrors } from './errors.ts';
import { pingEvent } from './ping.ts';
import { hasProviderTools, promptOf } from './prompt.ts';
import { parseMessagesRequest } from './request.ts';

const loadNativeProtocol = () => import('../providers/anthropic/native/protocol.ts');

const nativeProtocolOf = createProtocols<NativeRequest>('messages', {
  async anthropic() {
    return (await loadNativeProtocol()).createNativeMessages(createPlainEndpoint);
  },
  async bedrock() {
    const [{ createNativeMessages }, { createBedrockEndpoint }] = await Promise.all([
      loadNativeProtocol(),
      import('../providers/bedrock/native-endpoint.ts'),
    ]);
    return createNativeMessages(createBedrockEndpoint);
  },
});

const loadTranslation = lazy(async () => (await import('./translated-request.ts')).translatedRequest);
const loadStripping = lazy(async () => (await import('./foreign-thinking.ts')).withoutForeignThinking);

/** The keys of text, of thinking, and of a tool's input in the events of a stream. */
const textKeys = ['"text":', '"thinking":', '"partial_json":'].map((key) => Buffer.from(key));

export const messages: Operation = {
  name: 'messages',
  parse: (text) => toOperationRequest(parseMessagesRequest(text)),
  // An early error must be an HTTP error, by whose status agents decide whether to repeat the request.
  minHeartbeatMs: 1000,
  heartbeatEvent: pingEvent,
  ...messagesErrors,
};

function toOperationRequest(request: NativeRequest): OperationRequest {
  const { model, stream, text, body } = request;
  const prompt = promptOf(body);
  return {
    model,
    stream,
    prepareFor: (provider) =>
      prepareNativeOrTranslated(provider, {
        operation: 'messages',
        nativeProtocolOf,
        async readNative() {
          if (!mayHaveSignatures(request)) return request;
          const withoutForeignThinking = await loadStripping();
          return withoutForeignThinking(request);
        },
        async readTranslated() {
          const translatedRequest = await loadTranslation();
          return translatedRequest(request, provider.name, prompt);
        },
      }),
    estimateInput: () => estimateInput(prompt),
    createTextCounter: () => createTextCounter(textKeys),
    completeUsage: (response) =>
      completeLimitedUsage(response, { prompt, body, hasProviderTools: () => hasProviderTools(body) }),
    measureMaxCost: async () => measureMaxCost(text, messagesFormat),
  };
}
