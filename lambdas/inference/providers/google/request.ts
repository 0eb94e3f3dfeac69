/** A chat completion request as a `GenerateContentRequest`: https://ai.google.dev/api/generate-content */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import {
  type CompletionRequest,
  detailsOf,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/request.ts';
import { ownFields, saysThinking } from './caller-fields.ts';
import { googleContents, googlePart } from './contents.ts';
import { type GoogleModel, googleModel } from './models.ts';
import { googleSchema, googleToolUse } from './tools.ts';
export interface GoogleRequest {
  body: JsonObject;
  ignoredParameters: string[];
}

/** Parameters of OpenAI's that the API has, whatever the model. */
const taken = [
  'max_completion_tokens',
  'max_tokens',
  'n',
  'response_format',
  'seed',
  'stop',
  'temperature',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
];

/** Throws a `GatewayError` (400) that names what Gemini cannot be asked for. */
export function writeGoogleRequest({ request, model: name }: ProviderCall, provider: string): GoogleRequest {
  const asked = readCompletionRequest(request.body);
  const model = googleModel(name);
  const own = ownFields(asked.providerFields);
  const effort = saysThinking(own) ? null : asked.reasoningEffort;
  const thinking = effort === null ? undefined : model.thinkingByEffort[effort];
  const config = generationConfig(asked, { model, thinking });
  const written = {
    ...conversation(asked, model),
    ...googleToolUse(asked),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  const takenHere = new Set([
    ...taken,
    ...(thinking === undefined ? [] : ['reasoning_effort']),
    ...(model.takesPenalties ? ['frequency_penalty', 'presence_penalty'] : []),
    // Without tools there is nothing to call one after the other.
    ...(asked.tools.length === 0 ? ['parallel_tool_calls'] : []),
  ]);
  return {
    body: withProviderFields(written, own),
    ignoredParameters: [
      ...ignoredParameters(request.body, { provider, taken: takenHere }),
      ...leftOut(asked),
    ],
  };
}

/** A model that takes no system instruction reads it at the head of the first user turn, and so does one that is told nothing else. */
function conversation({ system, turns }: CompletionRequest, model: GoogleModel): JsonObject {
  const instructions = system.map(googlePart);
  const contents = googleContents(turns, model);
  if (instructions.length === 0) return { contents };
  if (contents.length === 0) return { contents: [{ role: 'user', parts: instructions }] };
  if (model.takesSystemInstruction) return { systemInstruction: { parts: instructions }, contents };
  const [first, ...rest] = turns;
  if (first?.role !== 'user') return { contents: [{ role: 'user', parts: instructions }, ...contents] };
  return { contents: googleContents([{ ...first, parts: [...system, ...first.parts] }, ...rest], model) };
}

// Sampling, limits, thinking and the form of the answer: https://ai.google.dev/api/generate-content#generationconfig

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

// Parts of messages and tools for which the Gemini API has no place, and which change no answer's meaning.

/** Their names, each once. Prompts are cached without being asked: https://ai.google.dev/gemini-api/docs/caching */
export function leftOut(request: CompletionRequest): string[] {
  const { cacheMarks, imageDetail, filenames, drawnImages } = detailsOf(request);
  return [
    ...(cacheMarks.inMessages || cacheMarks.inTools ? ['cache_control'] : []),
    ...(imageDetail ? ['image_url.detail'] : []),
    ...(filenames ? ['file.filename'] : []),
    // Gemini 3 takes its images back only with their signatures, for which there is no place.
    ...(drawnImages ? ['messages.images'] : []),
  ];
}
