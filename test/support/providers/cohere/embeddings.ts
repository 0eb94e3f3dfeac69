/** The embeddings of the fake Cohere, whose models are also on Bedrock. https://docs.cohere.com/reference/embed */
import { z } from 'zod';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { simulatedNumbers, sumTokens } from '../simulated-vectors.ts';
import { jsonResponse, type RecordedRequest, type Respond } from '../upstream-responses.ts';

const inputTypes = ['search_document', 'search_query', 'classification', 'clustering', 'image'] as const;

/** The fields of both, without the model. Other fields are rejected. */
export const cohereEmbedFields = {
  texts: z.array(z.string()).min(1).max(96, 'total number of texts must be at most 96'),
  input_type: z.enum(inputTypes, 'valid input_type must be provided with the provided model'),
  embedding_types: z.array(z.literal('float')),
  output_dimension: z.literal([256, 384, 512, 768, 1024, 1536]).optional(),
  truncate: z.enum(['NONE', 'START', 'END', 'LEFT', 'RIGHT']).optional(),
  max_tokens: z.int().optional(),
};

const embedRequest = z.strictObject({ model: z.string(), ...cohereEmbedFields });

type CohereEmbedRequest = z.infer<ReturnType<typeof z.object<typeof cohereEmbedFields>>>;

export function cohereVectors({ texts, output_dimension: size }: CohereEmbedRequest, defaultSize: number) {
  return { float: texts.map((text) => simulatedNumbers(text, size ?? defaultSize)) };
}

/** Errors have only a message. */
export function respondWithCohereEmbeddings(request: RecordedRequest): Respond {
  const { data, error } = embedRequest.safeParse(parseJson(request.body.toString()));
  if (error !== undefined) {
    const message = `invalid request: ${error.issues.map((issue) => issue.message).join('; ')}`;
    return jsonResponse({ id: request.requestId, message }, { status: 400 });
  }
  const { model, texts } = data;
  return jsonResponse(
    {
      id: '6e0f7a5c-5a50-4b3b-8f6a-3d6b1c9e2f10',
      texts,
      embeddings: cohereVectors(data, model.startsWith('embed-v4') ? 1536 : 1024),
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: sumTokens(texts) } },
      response_type: 'embeddings_by_type',
    },
    { headers: { 'x-debug-trace-id': request.requestId } },
  );
}
