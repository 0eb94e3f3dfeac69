/** Anthropic's Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { type JsonObject, objectOrEmpty, parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { positiveInteger } from '../output-limit.ts';
import type { CreateProtocol, ProviderCall, ResponseReaders } from '../provider.ts';
import { createResponseReader, type ReadPayload } from '../translation/response-reader.ts';
import type { CompletionWriter } from '../translation/sink.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { messagesError } from './errors.ts';
import { createMessageReader, toStreamEvents } from './reader.ts';
import { toMessagesRequest } from './request.ts';
import { toolNameRule } from './tools.ts';

const forwardedHeaders = ['anthropic-beta', 'user-agent'];

export const createAnthropicProtocol: CreateProtocol = ({ name, baseUrl, path, entry }) => {
  const url = new URL(`${baseUrl}${path}`);
  const { apiKeyHeader, requestIdHeaders } = entry;
  const protocolHeaders = { 'anthropic-version': '2023-06-01' };
  const readers: ResponseReaders = {
    readError: ({ status, headers, body }, call) =>
      messagesError({
        provider: name,
        call,
        body: parseJsonObject(body.toString('utf8')),
        status,
        headers,
      }),
    createReader: (call) =>
      createResponseReader({
        call,
        provider: name,
        parse,
        createReadPayload: (writer) => createMessagePayloadReader(name, call, writer),
      }),
  };
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
    loadReaders: async () => readers,
  };
};

/** Tool input is translated with the digits of its numbers, unless it is text already, as in the deltas of a stream. */
function parse(text: string): unknown {
  const value = parseJson(text);
  const data = objectOrEmpty(value);
  return isMessage(data) || data.type === 'content_block_start' ? parseExactJson(text) : value;
}

/** Only a whole message has its content in a list. */
function isMessage({ content }: JsonObject): boolean {
  return Array.isArray(content);
}

function createMessagePayloadReader(
  provider: string,
  call: ProviderCall,
  writer: CompletionWriter,
): ReadPayload {
  const reader = createMessageReader(withCallerToolNames(writer, call, toolNameRule), call.model);
  return (data, type) => {
    if (findErrorInBody(data, { provider, model: call.model, eventType: type }) !== null) {
      writer.fail(messagesError({ provider, call, body: data }));
    } else if (isMessage(data)) {
      for (const event of toStreamEvents(data)) reader.read(event);
    } else if (data.type === 'ping') writer.ping();
    else if (data.type === 'message_stop') writer.endWhole();
    else reader.read(data);
  };
}
