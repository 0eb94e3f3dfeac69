/** The Gemini API: `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { lenientPositiveInteger } from '../output-limit.ts';
import type { CreateProtocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import { createResponseReader, type ReadPayload } from '../translation/response-reader.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { completionError } from './errors.ts';
import { modelPath } from './models.ts';
import { toGoogleRequest } from './request.ts';
import { createGoogleTranslator } from './response.ts';
import { toolNameRule } from './tools.ts';

const forwardedHeaders = ['user-agent'];

export const createGoogleProtocol: CreateProtocol = (options) => {
  const { name: provider, entry } = options;
  const { apiKeyHeader } = entry;
  return {
    async translateRequest(call) {
      const { body, ignoredParameters } = toGoogleRequest(await call.request.readCompletion(), {
        provider,
        model: call.model,
      });
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
    async loadReaders(call) {
      const [request, createWriter] = await Promise.all([
        call.request.readCompletion(),
        call.request.loadWriter(),
      ]);
      const origin = { provider, model: call.model, request };
      return {
        readError: ({ status, headers, body }) =>
          completionError(parseJson(body.toString()), { ...origin, status, headers }),
        createReader: (headers) =>
          createResponseReader({
            call,
            createWriter,
            provider,
            parse: parseExactJson,
            createReadPayload: (writer) => createResponsePayloadReader(origin, { headers, writer }),
          }),
      };
    },
  };
};

function buildUrl({ baseUrl }: ProtocolOptions, { model, request }: ProviderCall): URL {
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return new URL(`${baseUrl}/${modelPath(model)}:${method}`);
}

interface ResponseOrigin {
  provider: string;
  model: string;
  request: CompletionRequest;
}

function createResponsePayloadReader(
  origin: ResponseOrigin,
  { headers, writer }: { headers: ResponseHeaders; writer: CompletionWriter },
): ReadPayload {
  const { provider, model, request } = origin;
  const translate = createGoogleTranslator(headers);
  const sink = withCallerToolNames(writer, request, toolNameRule);
  return (data, type) => {
    if (findErrorInBody(data, { provider, model, eventType: type }) !== null) {
      writer.fail(completionError(data, { ...origin, status: null }));
    } else translate(data, sink);
  };
}
