/**
 * InvokeModel of the fake Bedrock runtime, for embedding models.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
import { z } from 'zod';
import { cohereEmbedFields, cohereVectors } from '../cohere/embeddings.ts';
import { countTokens, simulatedNumbers, sumTokens } from '../simulated-vectors.ts';

type InvokedEmbeddings = { body: object; inputTokens: number } | { error: string };

interface EmbeddingModel {
  name: RegExp;
  invoke(body: unknown): InvokedEmbeddings;
}

const inputText = z.string().min(1, 'expected minLength: 1, actual: 0');

function titan(
  size: number,
  fields: z.ZodRawShape,
  sizeOf: (request: Record<string, unknown>) => unknown,
): EmbeddingModel['invoke'] {
  const schema = z.strictObject({ inputText, ...fields });
  return (body) => {
    const { data: request, error } = schema.safeParse(body);
    if (error !== undefined) return { error: formatIssues(error) };
    const { inputText: text } = request;
    const inputTokens = countTokens(text);
    const embedding = simulatedNumbers(text, Number(sizeOf(request) ?? size));
    return { body: { embedding, inputTextTokenCount: inputTokens }, inputTokens };
  };
}

function cohere(size: number): EmbeddingModel['invoke'] {
  const schema = z.strictObject(cohereEmbedFields);
  return (body) => {
    const { data: request, error } = schema.safeParse(body);
    if (error !== undefined) return { error: formatIssues(error) };
    const embeddings = cohereVectors(request, size);
    const { texts } = request;
    return {
      body: { id: 'a2c1', texts, embeddings, response_type: 'embeddings_by_type' },
      inputTokens: sumTokens(texts),
    };
  };
}

const embeddingConfig = z.strictObject({ outputEmbeddingLength: z.literal([256, 384, 1024]) });

const models: readonly EmbeddingModel[] = [
  { name: /amazon\.titan-embed-text-v1/, invoke: titan(1536, {}, () => null) },
  {
    name: /amazon\.titan-embed-text-v2/,
    invoke: titan(
      1024,
      { dimensions: z.literal([256, 512, 1024]).optional(), normalize: z.boolean().optional() },
      ({ dimensions }) => dimensions,
    ),
  },
  {
    name: /amazon\.titan-embed-image-v1/,
    invoke: titan(1024, { embeddingConfig: embeddingConfig.optional() }, (request) =>
      request.embeddingConfig === undefined
        ? null
        : embeddingConfig.parse(request.embeddingConfig).outputEmbeddingLength,
    ),
  },
  { name: /cohere\.embed-(english|multilingual)-v3/, invoke: cohere(1024) },
  { name: /cohere\.embed-v4/, invoke: cohere(1536) },
];

/** Returns `null` for any other model. */
export function findEmbeddingModel(model: string): EmbeddingModel | null {
  return models.find(({ name }) => name.test(model)) ?? null;
}

function formatIssues({ issues }: z.ZodError): string {
  return `Malformed input request: ${issues.map(({ path, message }) => `#/${path.join('/')}: ${message}`).join('; ')}, please reformat your input and try again.`;
}
