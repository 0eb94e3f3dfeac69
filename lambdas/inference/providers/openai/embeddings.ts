/** OpenAI's Embeddings API, which most providers implement. A response as it was asked for is forwarded byte for byte. */
import {
  assertCount,
  findEmbeddingsError,
  noEmbeddingsError,
  readEmbeddingsError,
} from '#lambdas/inference/embeddings/errors.ts';
import { type EmbeddingsRequest, ignoredFields } from '#lambdas/inference/embeddings/request.ts';
import { encodeVector, isEncodedAs } from '#lambdas/inference/embeddings/vectors.ts';
import { applyEdits, bodyMembers, modelEdits } from '#lambdas/inference/request-body.ts';
import {
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { createBodyReader } from '../http/body-reader.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol, ProtocolOptions, ProviderCall, ResponseReader } from '../provider.ts';
import { serialize } from '../serialize.ts';
import { createBillingReader } from './billing.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { applyJsonEdits, copy, type JsonEdit, remove, set } from './json-edits.ts';

export const createOpenAiEmbeddings: CreateProtocol<EmbeddingsRequest> = (options) => {
  const { name, baseUrl, path, entry } = options;
  const url = new URL(`${baseUrl}${path}`);
  return {
    translateRequest(call) {
      const { request, model } = call;
      const text = applyJsonEdits(request.text, editsFor(name, request));
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded: forwardedHeaders, apiKeyHeader: entry.apiKeyHeader }),
          body: applyEdits(text, modelEdits(bodyMembers(text), model)),
        },
        ignoredParameters: name === 'mistral' ? ignoredFields(request, ['user']) : [],
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    loadReaders: async (call) => ({
      readError: (response) => readEmbeddingsError(response, call),
      createReader: () => createListReader(call, options),
    }),
  };
};

/** NVIDIA's names of the uses, one of which its retrieval models require. https://docs.api.nvidia.com/nim/reference/nvidia-nv-embedqa-e5-v5 */
const nvidiaInputTypes: ReadonlyMap<string, string> = new Map([
  ['search_document', 'passage'],
  ['search_query', 'query'],
]);

function editsFor(provider: string, { dimensions, inputType, body }: EmbeddingsRequest): JsonEdit[] {
  switch (provider) {
    case 'mistral':
      // https://docs.mistral.ai/api/#tag/embeddings
      return [
        ...(dimensions === null ? [] : [copy(['output_dimension'], ['dimensions'])]),
        ...['dimensions', 'user']
          .filter((field) => body[field] !== undefined)
          .map((field) => remove([field])),
      ];
    case 'nvidia': {
      const asked = inputType ?? 'search_document';
      return [set(['input_type'], nvidiaInputTypes.get(asked) ?? asked)];
    }
    default:
      return [];
  }
}

function createListReader(
  call: ProviderCall<EmbeddingsRequest>,
  { entry, name }: ProtocolOptions,
): ResponseReader {
  const { encoding } = call.request;
  return createBodyReader((bytes, facts) => {
    const body = parseJsonObject(bytes.toString('utf8'));
    if (body === null) return null;
    facts.error = findEmbeddingsError(body, call);
    facts.responseModel = stringOrEmpty(body.model) || null;
    facts.responseId = stringOrEmpty(body.id) || null;
    Object.assign(facts, readBilling(body, call.model, entry));
    if (facts.error !== null) return null;
    if (!Array.isArray(body.data) || !body.data.every(isJsonObject)) throw noEmbeddingsError(name);
    assertCount(body.data, call);
    const isAsAsked = body.data.every(({ embedding }) => isEncodedAs(embedding, encoding));
    return isAsAsked ? bytes : Buffer.from(convert(body, body.data, encoding));
  });
}

/** A response has no output tokens, so that they need not be stated, and the total is that of the input. */
function readBilling(
  { usage, model, service_tier }: JsonObject,
  requestedModel: string,
  entry: ProtocolOptions['entry'],
) {
  const billing = createBillingReader(
    { reportedCost: entry.reportedCost, toolCharges: null, createToolReader: null },
    requestedModel,
  );
  billing.read({
    model,
    service_tier,
    ...(isJsonObject(usage) && {
      usage: {
        ...usage,
        prompt_tokens: usage.prompt_tokens ?? usage.total_tokens,
        completion_tokens: usage.completion_tokens ?? 0,
      },
    }),
  });
  return billing.facts();
}

function convert(
  body: JsonObject,
  data: readonly JsonObject[],
  encoding: EmbeddingsRequest['encoding'],
): string {
  const items = data.map(({ embedding, ...item }) => {
    const rest = serialize(item).slice(0, -1);
    return `${rest}${rest === '{' ? '' : ','}"embedding":${encodeVector(embedding, encoding)}}`;
  });
  const { data: _, ...fields } = body;
  const rest = serialize(fields).slice(1);
  return `{"data":[${items.join(',')}]${rest === '}' ? '' : ','}${rest}`;
}
