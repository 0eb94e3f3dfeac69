/** The Gemini API: `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content */
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { lenientPositiveInteger } from '../output-limit.ts';
import type { CreateProtocol, ProtocolOptions, ProviderCall, ResponseReaders } from '../provider.ts';
import { createResponseReader, type ReadPayload } from '../translation/response-reader.ts';
import type { CompletionWriter } from '../translation/sink.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { googleError } from './errors.ts';
import { modelPath } from './models.ts';
import { toGoogleRequest } from './request.ts';
import { createGoogleTranslator } from './response.ts';
import { toolNameRule } from './tools.ts';

const forwardedHeaders = ['user-agent'];

export const createGoogleProtocol: CreateProtocol = (options) => {
  const { name: provider, entry } = options;
  const { apiKeyHeader } = entry;
  const readers: ResponseReaders = {
    readError: ({ status, headers, body }, call) =>
      googleError(parseJson(body.toString()), {
        provider,
        call,
        status,
        headers,
      }),
    createReader: (call, headers) =>
      createResponseReader({
        call,
        provider,
        parse: parseExactJson,
        createReadPayload: (writer) => createResponsePayloadReader(provider, { call, headers, writer }),
      }),
  };
  return {
    translateRequest(call) {
      const { body, ignoredParameters } = toGoogleRequest(call, provider);
      const { maxOutputTokens, candidateCount } = objectOrEmpty(body.generationConfig);
      const headers = outgoingHeaders({ call, forwarded: forwardedHeaders, apiKeyHeader });
      return {
        outgoing: { url: buildUrl(options, call), headers, body: JSON.stringify(body) },
        ignoredParameters,
        outputLimit: () => ({
          maxOutputTokens: lenientPositiveInteger(maxOutputTokens),
          completions: lenientPositiveInteger(candidateCount) ?? 1,
        }),
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    loadReaders: async () => readers,
  };
};

function buildUrl({ baseUrl }: ProtocolOptions, { model, request }: ProviderCall): URL {
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return new URL(`${baseUrl}/${modelPath(model)}:${method}`);
}

function createResponsePayloadReader(
  provider: string,
  { call, headers, writer }: { call: ProviderCall; headers: ResponseHeaders; writer: CompletionWriter },
): ReadPayload {
  const translate = createGoogleTranslator(headers);
  const sink = withCallerToolNames(writer, call, toolNameRule);
  return (data, type) => {
    if (findErrorInBody(data, { provider, model: call.model, eventType: type }) !== null) {
      writer.fail(googleError(data, { provider, call, status: null }));
    } else translate(data, sink);
  };
}
