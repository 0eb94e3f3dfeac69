/** Anthropic's Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { parseExactJsonObject } from '../../domain/exact-json.ts';
import { GatewayError } from '../../domain/gateway-error.ts';
import { parseJsonObject } from '../../domain/json.ts';
import { createHttpPrepare, type StreamReader } from '../http/http-protocol.ts';
import type { CreateProtocol, ProtocolOptions } from '../protocol.ts';
import type { Answer, ProviderCall } from '../provider.ts';
import { createSseTranslator } from '../translation/sse-translator.ts';
import { createWholeCompletion } from '../translation/whole-completion.ts';
import { createMessageReader, eventsOfMessage, type MessageReader } from './message-reader.ts';
import { messagesError } from './messages-error.ts';
import { writeMessagesRequest } from './messages-request.ts';

/** What a caller may say to the provider beside the body: who it is, and which features in trial it wants. */
const forwardedHeaders = ['anthropic-beta', 'user-agent'] as const;

export const createAnthropicProtocol: CreateProtocol = ({ name, baseUrl, entry }) => {
  const url = new URL(`${baseUrl}/messages`);
  return createHttpPrepare({
    writeRequest(call) {
      const { body, ignored } = writeMessagesRequest(call, name);
      return {
        outgoing: { url, headers: outgoingHeaders(call, entry), body: JSON.stringify(body) },
        ignoredParameters: ignored,
      };
    },
    requestIdOf: (headers) =>
      entry.requestIdHeaders.map((header) => headers[header]).find((id) => id !== undefined) ?? null,
    readError: ({ status, headers, body }, call) =>
      messagesError({
        provider: name,
        call,
        body: parseJsonObject(body.toString('utf8')),
        status,
        retryAfter: headers['retry-after'],
      }),
    readAnswer: (body, call) => readAnswer(name, body, call),
    createStreamReader: (call) => createStreamReader(name, call),
  });
};

function outgoingHeaders(
  { apiKey, callerHeaders }: ProviderCall,
  { apiKeyHeader }: ProtocolOptions['entry'],
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
  };
  for (const name of forwardedHeaders) {
    const value = callerHeaders[name];
    if (value !== undefined) headers[name] = value;
  }
  if (apiKey !== null) headers[apiKeyHeader] = apiKeyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey;
  return headers;
}

function readAnswer(provider: string, body: Buffer, call: ProviderCall): Answer {
  const message = parseExactJsonObject(body.toString('utf8'));
  if (message?.type === 'error') throw messagesError({ provider, call, body: message });
  if (message === null || !Array.isArray(message.content)) {
    throw new GatewayError('provider_error', {
      message: `The provider ${provider} did not answer with a message`,
    });
  }
  const completion = createWholeCompletion(call);
  const reader = createMessageReader(completion);
  for (const event of eventsOfMessage(message)) reader.read(event);
  return completion.answer();
}

function createStreamReader(provider: string, call: ProviderCall): StreamReader {
  let reader: MessageReader | null = null;
  return createSseTranslator({
    call,
    translate(event, stream) {
      reader ??= createMessageReader(stream);
      if (event.type === 'error') stream.fail(messagesError({ provider, call, body: event }));
      else if (event.type === 'message_stop') stream.end();
      else reader.read(event);
    },
  });
}
