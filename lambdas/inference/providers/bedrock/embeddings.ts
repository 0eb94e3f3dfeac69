/** Embeddings of Titan and Cohere with InvokeModel, which has each model's own format. */
import { findParam, promptParam } from '#lambdas/inference/embeddings/errors.ts';
import { createEmbeddingsReader } from '#lambdas/inference/embeddings/reader.ts';
import {
  type EmbeddingsRequest,
  ignoredFields,
  providerFieldsOf,
  textsOf,
} from '#lambdas/inference/embeddings/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { cohereFields, cohereIgnoredFields, cohereVectors } from '../translation/cohere-embeddings.ts';
import { readBedrockError } from './errors.ts';
import { createBedrockSigner, modelPath } from './sign.ts';

/** The token count of every model that InvokeModel serves; only Titan also has it in its body. */
const tokenCountHeader = 'x-amzn-bedrock-input-token-count';

export const createBedrockEmbeddings: CreateProtocol<EmbeddingsRequest> = (options) => {
  const { name, entry } = options;
  const sign = createBedrockSigner(options);
  return {
    translateRequest({ request, model, apiKey }) {
      const family = familyOf(model, name);
      const body = family === 'cohere' ? cohereFields(request, name) : titanFields(request, model, name);
      return {
        outgoing: sign({ path: modelPath(model, 'invoke'), apiKey, body: JSON.stringify(body) }),
        ignoredParameters: ignoredFields(
          request,
          family === 'cohere' ? cohereIgnoredFields : ['user', 'input_type'],
        ),
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    loadReaders: async (call) => ({
      readError: (response) =>
        readBedrockError(response, {
          provider: name,
          model: call.model,
          findParam: (message) => findParam(message, call.request),
          promptParam,
        }),
      createReader: (headers) =>
        createEmbeddingsReader(call, ({ embedding, embeddings, inputTextTokenCount }) => {
          const stated = headers[tokenCountHeader];
          const inputTokens = stated === undefined ? inputTextTokenCount : Number(stated);
          const vectors = Array.isArray(embedding) ? [embedding] : cohereVectors(embeddings);
          return vectors && { vectors, inputTokens };
        }),
    }),
  };
};

/** An inference profile has a prefix, such as `us.cohere.embed-v4:0`, and an ARN ends in either. */
function familyOf(model: string, provider: string): 'titan' | 'cohere' {
  if (model.includes('cohere.embed')) return 'cohere';
  if (model.includes('amazon.titan-embed')) return 'titan';
  throw new GatewayError('model_not_found', {
    param: 'model',
    message: `${model} is no embedding model of the provider ${provider} that the gateway supports: use amazon.titan-embed-… or cohere.embed-…`,
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
function titanFields(request: EmbeddingsRequest, model: string, provider: string): JsonObject {
  const { dimensions } = request;
  const [inputText = ''] = textsOf(request, provider);
  const size = model.includes('titan-embed-image')
    ? { embeddingConfig: { outputEmbeddingLength: dimensions } }
    : { dimensions };
  return { ...providerFieldsOf(request), inputText, ...(dimensions !== null && size) };
}
