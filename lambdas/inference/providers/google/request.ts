/** Translates a request to a `GenerateContentRequest`: https://ai.google.dev/api/generate-content */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import {
  commonParameters,
  ignoredParameters,
  isAbsent,
  readObject,
  unsupportedParameter,
  withProviderFields,
} from '../translation/parameters.ts';
import {
  type CompletionRequest,
  detailsOf,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/request.ts';
import { googleContents, googlePart } from './contents.ts';
import { type GoogleModel, googleModel } from './models.ts';
import { googleSchema, googleToolUse } from './tools.ts';

export interface GoogleRequest {
  body: JsonObject;
  ignoredParameters: string[];
}

/** Throws a `GatewayError` (400) that names a parameter that Gemini does not support. */
export function toGoogleRequest({ request, model: name }: ProviderCall, provider: string): GoogleRequest {
  const chat = readCompletionRequest(request.body);
  const model = googleModel(name);
  const own = ownFields(chat.providerFields);
  const effort = configuresThinking(own) ? null : chat.reasoningEffort;
  const thinking = effort === null ? undefined : model.thinkingByEffort[effort];
  const config = generationConfig(chat, { model, thinking });
  const written = {
    ...conversation(chat, model),
    ...googleToolUse(chat),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  const supported = new Set([
    ...commonParameters,
    'n',
    'seed',
    ...(thinking === undefined ? [] : ['reasoning_effort']),
    ...(model.takesPenalties ? ['frequency_penalty', 'presence_penalty'] : []),
    // Without tools there are no calls that could be parallel.
    ...(chat.tools.length === 0 ? ['parallel_tool_calls'] : []),
  ]);
  return {
    body: withProviderFields(written, own),
    ignoredParameters: [...ignoredParameters(request.body, { provider, supported }), ...ignoredDetails(chat)],
  };
}

/**
 * The caller's own fields of a `GenerateContentRequest`, in camel case, with those that Google's OpenAI endpoint accepts
 * in `extra_body.google`: https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function ownFields({ extra_body: extra, ...fields }: JsonObject): JsonObject {
  const own = camelCased(fields);
  if (isAbsent(extra)) return own;
  const { google = {}, ...others } = readObject(extra, 'extra_body');
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const param = `extra_body.${other}`;
    throw unsupportedParameter(
      param,
      `${param} is not supported: Google's own fields are in extra_body.google`,
    );
  }
  const { thinkingConfig, ...rest } = camelCased(readObject(google, 'extra_body.google'));
  const thinking = thinkingConfig === undefined ? {} : { generationConfig: { thinkingConfig } };
  return withProviderFields({ ...rest, ...thinking }, own);
}

/** The caller's own setting takes precedence over `reasoning_effort`. */
function configuresThinking({ generationConfig }: JsonObject): boolean {
  const thinking = isJsonObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
  if (!isJsonObject(thinking)) return false;
  return thinking.thinkingLevel !== undefined || thinking.thinkingBudget !== undefined;
}

/** Messages whose fields may be in snake case too; in all others the keys may be names of the caller's choice. */
const messageFields = [
  'generationConfig',
  'thinkingConfig',
  'toolConfig',
  'functionCallingConfig',
  'responseFormat',
];

function camelCased(message: JsonObject): JsonObject {
  const entries = Object.entries(message).map(([field, value]): [string, unknown] => {
    const name = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    return [name, messageFields.includes(name) && isJsonObject(value) ? camelCased(value) : value];
  });
  return Object.fromEntries(entries);
}

/** Without support for system instructions, and without any other content, they become the start of the first user turn. */
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

/** https://ai.google.dev/api/generate-content#generationconfig */
function generationConfig(
  request: CompletionRequest,
  { model, thinking }: { model: GoogleModel; thinking: JsonObject | undefined },
): JsonObject {
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

/** Defaults are not sent, since some models refuse the field with any value. */
function unless(neutral: number, value: number | null): number | null {
  return value === neutral ? null : value;
}

/** Google enforces a schema whether it is `strict` or not. */
function formatFields(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return {};
    case 'json_object':
      return { responseMimeType: 'application/json' };
    case 'json_schema': {
      const { description, schema } = format;
      const responseJsonSchema = googleSchema({ ...(description !== null && { description }), ...schema });
      return { responseMimeType: 'application/json', responseJsonSchema };
    }
    default:
      return format satisfies never;
  }
}

/** Details that the API does not support. It caches prompts by itself: https://ai.google.dev/gemini-api/docs/caching */
function ignoredDetails(request: CompletionRequest): string[] {
  const { cacheMarks, imageDetail, filenames, drawnImages } = detailsOf(request);
  return [
    ...(cacheMarks.inMessages || cacheMarks.inTools ? ['cache_control'] : []),
    ...(imageDetail ? ['image_url.detail'] : []),
    ...(filenames ? ['file.filename'] : []),
    // Gemini 3 accepts its own images only with signatures, which OpenAI's format cannot carry.
    ...(drawnImages ? ['messages.images'] : []),
  ];
}
