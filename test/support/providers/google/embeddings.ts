/** `batchEmbedContents` of the fake Gemini API. https://ai.google.dev/api/embeddings */
import { z } from 'zod';
import { simulatedNumbers, sumTokens } from '../simulated-vectors.ts';

const taskTypes = [
  ...['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'SEMANTIC_SIMILARITY', 'CLASSIFICATION', 'CLUSTERING'],
  ...['QUESTION_ANSWERING', 'FACT_VERIFICATION', 'CODE_RETRIEVAL_QUERY'],
];

const contentRequest = z.strictObject({
  model: z.string(),
  content: z.strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) }),
  taskType: z.enum(taskTypes).optional(),
  title: z.string().optional(),
  outputDimensionality: z.int().positive().optional(),
});

export const batchEmbedContentsRequest = z.strictObject({
  requests: z.array(contentRequest).min(1).max(100, 'at most 100 requests can be in one batch'),
});

type BatchEmbedContentsRequest = z.infer<typeof batchEmbedContentsRequest>;

const defaultSize = 3072;

/** Returns the message of the error. */
export function findEmbeddingsRejection(
  { requests }: BatchEmbedContentsRequest,
  model: string,
): string | null {
  if (requests.every((request) => request.model === `models/${model}`)) return null;
  return `* BatchEmbedContentsRequest.requests[0].model: must be models/${model}`;
}

/** Only newer models report their usage. */
export function embeddingsBody({ requests }: BatchEmbedContentsRequest, model: string): object {
  const texts = requests.map(({ content }) => content.parts.map(({ text }) => text).join(''));
  const embeddings = requests.map(({ outputDimensionality }, index) => ({
    values: simulatedNumbers(texts[index] ?? '', outputDimensionality ?? defaultSize),
  }));
  const usage = { usageMetadata: { promptTokenCount: sumTokens(texts) } };
  return { embeddings, ...(!/^gemini-embedding-001/.test(model) && usage) };
}
