/** Sampling, limits, thinking and the form of the answer: https://ai.google.dev/api/generate-content#generationconfig */
import type { JsonObject } from '../../domain/json.ts';
import type { CompletionRequest, ResponseFormat } from '../translation/completion-request.ts';
import type { GoogleModel } from './google-models.ts';
import { googleSchema } from './google-schema.ts';

interface ModelConfig {
  model: GoogleModel;
  /** What the caller's `reasoning_effort` is to the model. */
  thinking: JsonObject | undefined;
}

export function generationConfig(request: CompletionRequest, { model, thinking }: ModelConfig): JsonObject {
  const fields: JsonObject = {
    candidateCount: unless(1, request.n),
    maxOutputTokens: request.maxTokens,
    stopSequences: request.stop.length === 0 ? null : request.stop,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: request.seed,
    presencePenalty: model.takesPenalties ? unless(0, request.presencePenalty) : null,
    frequencyPenalty: model.takesPenalties ? unless(0, request.frequencyPenalty) : null,
    ...formatFields(request.responseFormat),
    thinkingConfig: thinking,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** What asks for what happens anyway is not asked for: some models refuse the field with any value. */
function unless(neutral: number, value: number | null): number | null {
  return value === neutral ? null : value;
}

type SchemaFormat = Extract<ResponseFormat, { type: 'json_schema' }>;

function answerSchema({ description, schema }: SchemaFormat): JsonObject {
  return googleSchema({ ...(description !== null && { description }), ...schema });
}

/** What is constrained by a schema is so in any case, `strict` or not. */
function formatFields(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return {};
    case 'json_object':
      return { responseMimeType: 'application/json' };
    case 'json_schema':
      return { responseMimeType: 'application/json', responseJsonSchema: answerSchema(format) };
    default:
      return format satisfies never;
  }
}
