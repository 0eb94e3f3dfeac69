/** The Gemini API: `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { lenientPositiveInteger } from '../output-limit.ts';
import type { Completion, CreateProtocol, ProtocolOptions, ProviderCall, StreamReader } from '../provider.ts';
import { createCompletionBuilder } from '../translation/completion.ts';
import { createSseTranslator } from '../translation/stream-sink.ts';
import { googleError } from './errors.ts';
import { toGoogleRequest } from './request.ts';
import { createGoogleTranslator } from './response.ts';

const forwardedHeaders = ['user-agent'];

export const createGoogleProtocol: CreateProtocol = (options) => {
  const { name: provider, entry } = options;
  const { apiKeyHeader } = entry;
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
    readError: ({ status, headers, body }, call) =>
      googleError(parseJson(body.toString()), {
        provider,
        call,
        status,
        retryAfter: headers['retry-after'],
      }),
    readCompletion: (body, call, headers) => readCompletion(provider, { body, call, headers }),
    createStreamReader: (call, headers) => createStreamReader(provider, call, headers),
  };
};

/** A model's name may include its collection, as in Google's resource names. */
function buildUrl({ baseUrl }: ProtocolOptions, { model, request }: ProviderCall): URL {
  const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? [];
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return new URL(`${baseUrl}/${collection}/${encodeURIComponent(name)}:${method}`);
}

function readCompletion(
  provider: string,
  { body, call, headers }: { body: Buffer; call: ProviderCall; headers: ResponseHeaders },
): Completion {
  const response = parseExactJsonObject(body.toString());
  if (response === null) {
    throw new GatewayError('provider_error', {
      message: `The response of the provider ${provider} is not a JSON object`,
    });
  }
  if (isJsonObject(response.error)) throw googleError(response, { provider, call, status: null });
  const completion = createCompletionBuilder(call);
  createGoogleTranslator(headers)(response, completion);
  return completion.build();
}

function createStreamReader(provider: string, call: ProviderCall, headers: ResponseHeaders): StreamReader {
  const translate = createGoogleTranslator(headers);
  return createSseTranslator({
    call,
    parse: parseExactJsonObject,
    translate(data, stream) {
      if (isJsonObject(data.error)) stream.fail(googleError(data, { provider, call, status: null }));
      else translate(data, stream);
    },
  });
}
