/** The format of Cohere's embedding models, which is the same at Cohere and on Bedrock. */
import { type EmbeddingsRequest, providerFieldsOf, textsOf } from '#lambdas/inference/embeddings/request.ts';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** Vectors of other types than floats have no place in OpenAI's format. */
export const cohereIgnoredFields = ['embedding_types', 'user'];

/** The fields of a request without the model, which is in the path on Bedrock. */
export function cohereFields(request: EmbeddingsRequest, provider: string): JsonObject {
  const { dimensions, inputType } = request;
  return {
    ...providerFieldsOf(request),
    texts: textsOf(request, provider),
    // The API requires one: most texts are embedded to be searched.
    input_type: inputType ?? 'search_document',
    embedding_types: ['float'],
    ...(dimensions !== null && { output_dimension: dimensions }),
  };
}

/** Returns the vectors of a response's `embeddings`; `null` if there are none of the type that was asked for. */
export function cohereVectors(embeddings: unknown): unknown[] | null {
  const { float: vectors } = objectOrEmpty(embeddings);
  return Array.isArray(vectors) ? vectors : null;
}
