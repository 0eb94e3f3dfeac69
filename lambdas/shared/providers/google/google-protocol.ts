/** The Gemini API: `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content */
import { parseExactJsonObject } from '../../domain/exact-json.ts';
import { GatewayError } from '../../domain/gateway-error.ts';
import { isJsonObject, parseJson } from '../../domain/json.ts';
import { createHttpPrepare, type StreamReader } from '../http/http-protocol.ts';
import { outgoingHeaders } from '../http/outgoing-headers.ts';
import type { CreateProtocol, ProtocolOptions } from '../protocol.ts';
import type { Answer, ProviderCall } from '../provider.ts';
import { createSseTranslator } from '../translation/sse-translator.ts';
import { createWholeCompletion } from '../translation/whole-completion.ts';
import { createGoogleTranslator } from './google-answer.ts';
import { googleError } from './google-errors.ts';
import { writeGoogleRequest } from './google-request.ts';

const forwarded = ['user-agent'];

export const createGoogleProtocol: CreateProtocol = (options) => {
  const { name: provider, entry } = options;
  const { apiKeyHeader } = entry;
  return createHttpPrepare({
    writeRequest(call) {
      const { body, ignoredParameters } = writeGoogleRequest(call, provider);
      const headers = outgoingHeaders({ call, forwarded, apiKeyHeader });
      return {
        outgoing: { url: urlOf(options, call), headers, body: JSON.stringify(body) },
        ignoredParameters,
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
    readAnswer: (body, call) => readAnswer(body, { provider, call }),
    createStreamReader: (call) => createStreamReader({ provider, call }),
  });
};

/** A model may be named with the collection that it is in, as Google itself writes it. */
function urlOf({ baseUrl }: ProtocolOptions, { model, request }: ProviderCall): URL {
  const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? [];
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return new URL(`${baseUrl}/${collection}/${encodeURIComponent(name)}:${method}`);
}

interface Asked {
  provider: string;
  call: ProviderCall;
}

function readAnswer(body: Buffer, { provider, call }: Asked): Answer {
  const response = parseExactJsonObject(body.toString());
  if (response === null) {
    throw new GatewayError('provider_error', { message: `The provider ${provider} did not answer in JSON` });
  }
  if (isJsonObject(response.error)) throw googleError(response, { provider, call, status: null });
  const completion = createWholeCompletion(call);
  createGoogleTranslator()(response, completion);
  return completion.answer();
}

function createStreamReader({ provider, call }: Asked): StreamReader {
  const translate = createGoogleTranslator();
  return createSseTranslator({
    call,
    parse: parseExactJsonObject,
    translate(data, stream) {
      if (isJsonObject(data.error)) stream.fail(googleError(data, { provider, call, status: null }));
      else translate(data, stream);
    },
  });
}
