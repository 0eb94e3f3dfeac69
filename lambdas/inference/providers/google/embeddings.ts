/** The Gemini API's `batchEmbedContents`. https://ai.google.dev/api/embeddings */
import { findParam, promptParam } from '#lambdas/inference/embeddings/errors.ts';
import { createEmbeddingsReader } from '#lambdas/inference/embeddings/reader.ts';
import {
  type EmbeddingsRequest,
  ignoredFields,
  providerFieldsOf,
  textsOf,
} from '#lambdas/inference/embeddings/request.ts';
import { filterObjects, type JsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { googleError } from './errors.ts';
import { modelPath, resourceName } from './models.ts';

export const createGoogleEmbeddings: CreateProtocol<EmbeddingsRequest> = ({ name, baseUrl, entry }) => {
  const { apiKeyHeader, requestIdHeaders } = entry;
  return {
    translateRequest(call) {
      const { request, model } = call;
      return {
        outgoing: {
          url: new URL(`${baseUrl}/${modelPath(model)}:batchEmbedContents`),
          headers: outgoingHeaders({ call, forwarded: ['user-agent'], apiKeyHeader }),
          body: JSON.stringify({ requests: contentRequests(request, { provider: name, model }) }),
        },
        ignoredParameters: ignoredFields(request, ['user']),
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders,
    loadReaders: async (call) => ({
      readError: ({ status, headers, body }) =>
        googleError(parseJson(body.toString('utf8')), {
          provider: name,
          model: call.model,
          status,
          headers,
          findParam: (message) => findParam(message, call.request),
          promptParam,
        }),
      createReader: () =>
        createEmbeddingsReader(call, ({ embeddings, usageMetadata }) => {
          if (!Array.isArray(embeddings)) return null;
          // Only newer models report their usage.
          const { promptTokenCount: inputTokens } = objectOrEmpty(usageMetadata);
          return { vectors: filterObjects(embeddings).map(({ values }) => values), inputTokens };
        }),
    }),
  };
};

/** Cohere's names of the uses, which callers of several providers send, in Google's terms. */
const taskTypes: ReadonlyMap<string, string> = new Map([
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['search_query', 'RETRIEVAL_QUERY'],
  ['classification', 'CLASSIFICATION'],
  ['clustering', 'CLUSTERING'],
]);

function contentRequests(
  request: EmbeddingsRequest,
  { provider, model }: { provider: string; model: string },
): JsonObject[] {
  const { dimensions, inputType } = request;
  // Any other name is Google's own, such as `SEMANTIC_SIMILARITY`.
  const taskType = inputType && (taskTypes.get(inputType) ?? inputType);
  const fields = {
    ...providerFieldsOf(request),
    model: resourceName(model),
    ...(taskType !== null && { taskType }),
    ...(dimensions !== null && { outputDimensionality: dimensions }),
  };
  return textsOf(request, provider).map((text) => ({ ...fields, content: { parts: [{ text }] } }));
}
