/** Anthropic's Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { parseExactJsonObject } from '../../domain/exact-json.ts';
import { GatewayError } from '../../domain/gateway-error.ts';
import { parseJsonObject } from '../../domain/json.ts';
import { createHttpPrepare, type StreamReader } from '../http/http-protocol.ts';
import { outgoingHeaders } from '../http/outgoing-headers.ts';
import type { CreateProtocol } from '../protocol.ts';
import type { Answer, ProviderCall } from '../provider.ts';
import { createSseTranslator } from '../translation/sse-translator.ts';
import { createWholeCompletion } from '../translation/whole-completion.ts';
import { eventsOfMessage } from './message-events.ts';
import { createMessageReader, type MessageReader } from './message-reader.ts';
import { messagesError } from './messages-error.ts';
import { writeMessagesRequest } from './messages-request.ts';

/** Who the caller is, and which features in trial it wants. */
const forwarded = ['anthropic-beta', 'user-agent'];

export const createAnthropicProtocol: CreateProtocol = ({ name, baseUrl, entry }) => {
  const url = new URL(`${baseUrl}/messages`);
  const { apiKeyHeader, requestIdHeaders } = entry;
  const own = { 'anthropic-version': '2023-06-01' };
  return createHttpPrepare({
    writeRequest(call) {
      const { body, ignored } = writeMessagesRequest(call, name);
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded, own, apiKeyHeader }),
          body: JSON.stringify(body),
        },
        ignoredParameters: ignored,
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
    readAnswer: (body, call) => readAnswer(name, body, call),
    createStreamReader: (call) => createStreamReader(name, call),
  });
};

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
