/** Anthropic's Messages API. https://platform.claude.com/docs/en/api/messages/create */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { objectOrEmpty, parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { positiveInteger } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { createResponseReader, type ReadPayload } from '../translation/response-reader.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { messagesError } from './errors.ts';
import { createMessageReader, isMessage, toStreamEvents } from './reader.ts';
import { toMessagesRequest } from './request.ts';
import { toolNameRule } from './tools.ts';

const forwardedHeaders = ['anthropic-beta', 'user-agent'];

export const createAnthropicProtocol: CreateProtocol = ({ name, baseUrl, path, entry }) => {
  const url = new URL(`${baseUrl}${path}`);
  const { apiKeyHeader, requestIdHeaders } = entry;
  const protocolHeaders = { 'anthropic-version': '2023-06-01' };
  return {
    async translateRequest(call) {
      const { model, request } = call;
      const target = { provider: name, model, stream: request.stream };
      const { body, ignored } = toMessagesRequest(await request.readCompletion(), target);
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
    async loadReaders(call) {
      const [request, createWriter] = await Promise.all([
        call.request.readCompletion(),
        call.request.loadWriter(),
      ]);
      const { model } = call;
      return {
        readError: ({ status, headers, body: bytes }) => {
          const body = parseJsonObject(bytes.toString('utf8'));
          return messagesError({ provider: name, model, request, body, status, headers });
        },
        createReader: () =>
          createResponseReader({
            call,
            createWriter,
            provider: name,
            parse,
            createReadPayload: (writer) =>
              createMessagePayloadReader({ provider: name, model, request }, writer),
          }),
      };
    },
  };
};

/** Tool input is translated with the digits of its numbers, unless it is text already, as in the deltas of a stream. */
function parse(text: string): unknown {
  const value = parseJson(text);
  const data = objectOrEmpty(value);
  return isMessage(data) || data.type === 'content_block_start' ? parseExactJson(text) : value;
}

interface MessageOrigin {
  provider: string;
  model: string;
  request: CompletionRequest;
}

function createMessagePayloadReader(origin: MessageOrigin, writer: CompletionWriter): ReadPayload {
  const { provider, model, request } = origin;
  const reader = createMessageReader(withCallerToolNames(writer, request, toolNameRule), model);
  return (data, type) => {
    if (findErrorInBody(data, { provider, model, eventType: type }) !== null) {
      writer.fail(messagesError({ ...origin, body: data }));
    } else if (isMessage(data)) {
      for (const event of toStreamEvents(data)) reader.read(event);
    } else if (data.type === 'ping') writer.ping();
    else if (data.type === 'message_stop') writer.endWhole();
    else reader.read(data);
  };
}
