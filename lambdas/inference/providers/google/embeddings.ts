/** The Gemini API's `batchEmbedContents`. https://ai.google.dev/api/embeddings */
import { createEmbeddingsReader } from '#lambdas/inference/embeddings/reader.ts';
import {
  type EmbeddingsRequest,
  ignoredFields,
  providerFieldsOf,
  textsOf,
} from '#lambdas/inference/embeddings/request.ts';
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { readErrorResponse } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { modelPath } from './models.ts';

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
      readError: (response) => readErrorResponse({ provider: name, model: call.model, ...response }),
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
const taskTypes: Readonly<Record<string, string>> = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

function contentRequests(
  request: EmbeddingsRequest,
  { provider, model }: { provider: string; model: string },
): JsonObject[] {
  const { dimensions, inputType } = request;
  const taskType = inputType === null ? null : taskTypeOf(inputType);
  return textsOf(request, provider).map((text) => ({
    model: decodeURIComponent(modelPath(model)),
    content: { parts: [{ text }] },
    ...(taskType !== null && { taskType }),
    ...(dimensions !== null && { outputDimensionality: dimensions }),
    ...providerFieldsOf(request),
  }));
}

/** Any other name is Google's own, such as `SEMANTIC_SIMILARITY`. */
function taskTypeOf(inputType: string): string {
  return Object.hasOwn(taskTypes, inputType) ? (taskTypes[inputType] ?? inputType) : inputType;
}
