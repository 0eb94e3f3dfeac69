/** Cohere's Embed API. https://docs.cohere.com/reference/embed */
import { readEmbeddingsError } from '#lambdas/inference/embeddings/errors.ts';
import { createEmbeddingsReader } from '#lambdas/inference/embeddings/reader.ts';
import { type EmbeddingsRequest, ignoredFields } from '#lambdas/inference/embeddings/request.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { cohereFields, cohereIgnoredFields, cohereVectors } from '../translation/cohere-embeddings.ts';

export const createCohereEmbeddings: CreateProtocol<EmbeddingsRequest> = ({ name, baseUrl, path, entry }) => {
  const url = new URL(`${baseUrl}${path}`);
  const { apiKeyHeader, requestIdHeaders } = entry;
  return {
    translateRequest(call) {
      const { request, model } = call;
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded: ['user-agent'], apiKeyHeader }),
          body: JSON.stringify({ model, ...cohereFields(request, name) }),
        },
        ignoredParameters: ignoredFields(request, cohereIgnoredFields),
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders,
    loadReaders: async (call) => ({
      readError: (response) => readEmbeddingsError(response, call),
      createReader: () =>
        createEmbeddingsReader(call, ({ embeddings, meta }) => {
          const { input_tokens: inputTokens } = objectOrEmpty(objectOrEmpty(meta).billed_units);
          const vectors = cohereVectors(embeddings);
          return vectors && { vectors, inputTokens };
        }),
    }),
  };
};
