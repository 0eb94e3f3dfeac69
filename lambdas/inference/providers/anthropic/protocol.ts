/** Anthropic's Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { positiveInteger } from '../output-limit.ts';
import type { Completion, CreateProtocol, ProviderCall, StreamReader } from '../provider.ts';
import { createCompletionBuilder } from '../translation/completion.ts';
import { createSseTranslator } from '../translation/stream-sink.ts';
import { messagesError } from './errors.ts';
import { createMessageReader, type MessageReader, toStreamEvents } from './reader.ts';
import { toMessagesRequest } from './request.ts';

const forwardedHeaders = ['anthropic-beta', 'user-agent'];

export const createAnthropicProtocol: CreateProtocol = ({ name, baseUrl, entry }) => {
  const url = new URL(`${baseUrl}/messages`);
  const { apiKeyHeader, requestIdHeaders } = entry;
  const protocolHeaders = { 'anthropic-version': '2023-06-01' };
  return {
    translateRequest(call) {
      const { body, ignored } = toMessagesRequest(call, name);
      const { max_tokens: maxTokens } = body;
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded: forwardedHeaders, protocolHeaders, apiKeyHeader }),
          body: JSON.stringify(body),
        },
        ignoredParameters: ignored,
        outputLimit: () => ({ maxOutputTokens: positiveInteger(maxTokens), completions: 1 }),
      };
    },
    requestIdHeaders,
    readError: ({ status, headers, body }, call) =>
      messagesError({
        provider: name,
        call,
        body: parseJsonObject(body.toString('utf8')),
        status,
        retryAfter: headers['retry-after'],
      }),
    readCompletion: (body, call) => readCompletion(name, body, call),
    createStreamReader: (call) => createStreamReader(name, call),
  };
};

function readCompletion(provider: string, body: Buffer, call: ProviderCall): Completion {
  const message = parseExactJsonObject(body.toString('utf8'));
  if (message?.type === 'error') throw messagesError({ provider, call, body: message });
  if (message === null || !Array.isArray(message.content)) {
    throw new GatewayError('provider_error', {
      message: `The response of the provider ${provider} contains no message`,
    });
  }
  const completion = createCompletionBuilder(call);
  const reader = createMessageReader(completion, call.model);
  for (const event of toStreamEvents(message)) reader.read(event);
  return completion.build();
}

function createStreamReader(provider: string, call: ProviderCall): StreamReader {
  let reader: MessageReader | null = null;
  return createSseTranslator({
    call,
    translate(event, stream) {
      reader ??= createMessageReader(stream, call.model);
      if (event.type === 'error') stream.fail(messagesError({ provider, call, body: event }));
      else if (event.type === 'message_stop') stream.end();
      else reader.read(event);
    },
  });
}
