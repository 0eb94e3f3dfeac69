/** Translates a request to a `GenerateContentRequest`: https://ai.google.dev/api/generate-content */
import type {
  CompletionRequest,
  DialogRequest,
  ReasoningEffort,
  ResponseFormat,
  SettingKey,
} from '#lambdas/inference/completion/request.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { isAbsent, readObject } from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { refuseCustomTools, withoutForeignHostedTools } from '../translation/foreign-tools.ts';
import { instructionsAsUserTurn, withOpeningUserTurn } from '../translation/opening-turn.ts';
import { findOptionalFeatures } from '../translation/optional-features.ts';
import { commonParameters, ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import { withoutSystemTurns } from '../translation/system-turns.ts';
import { withProviderToolNames } from '../translation/tool-names.ts';
import { googleContents, googlePart } from './contents.ts';
import { type GoogleModel, googleModel } from './models.ts';
import { googleSchema, googleToolUse, toolNameRule } from './tools.ts';

interface GoogleRequest {
  body: JsonObject;
  ignoredParameters: string[];
}

/** Throws a `GatewayError` (400) that names a parameter that Gemini does not support. */
export function toGoogleRequest(
  completion: CompletionRequest,
  { provider, model: name }: { provider: string; model: string },
): GoogleRequest {
  const model = googleModel(name);
  refuseCustomTools(completion);
  const { request: offered, ignored: hosted } = withoutForeignHostedTools(completion, 'google');
  const { request: named, ignored: changed } = withoutSystemTurns(
    withProviderToolNames(offered, toolNameRule),
  );
  const { request: chat, ignored: opening } = withOpeningUserTurn(
    model.supportsSystemInstruction ? named : { ...named, ...instructionsAsUserTurn(named) },
  );
  const callerFields = readCallerFields(chat.providerFields);
  const effort = configuresThinking(callerFields) ? null : chat.reasoningEffort;
  const { config: thinking, ignored: lowered } = thinkingConfig(effort, chat, model);
  const config = generationConfig(chat, { model, thinking });
  const translated = {
    ...conversation(chat, model),
    ...googleToolUse(chat),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  const supported = new Set<SettingKey>([
    ...commonParameters,
    'n',
    'seed',
    ...(effort !== null && effort in model.thinkingConfigByEffort ? (['reasoningEffort'] as const) : []),
    ...(model.supportsPenalties ? (['frequencyPenalty', 'presencePenalty'] as const) : []),
    // Has no effect without tools.
    ...(chat.tools.length === 0 ? (['parallelToolCalls'] as const) : []),
  ]);
  return {
    body: withProviderFields(translated, callerFields),
    ignoredParameters: [
      ...ignoredParameters(completion, { provider, supported }),
      ...new Set([...hosted, ...changed, ...opening]),
      ...lowered,
      ...ignoredFeatures(chat),
    ],
  };
}

/** A budget of the caller replaces that of the effort, within the model's range. A summary is shown also without an effort. */
function thinkingConfig(
  effort: ReasoningEffort | null,
  {
    reasoningBudget,
    reasoningSummary,
    names,
  }: Pick<CompletionRequest, 'reasoningBudget' | 'reasoningSummary' | 'names'>,
  { thinkingConfigByEffort, thinkingBudgets, thinksByDefault }: GoogleModel,
): { config: JsonObject | undefined; ignored: string[] } {
  const isShown = reasoningSummary !== null && thinksByDefault && effort !== 'none';
  const ofEffort = effort === null ? undefined : thinkingConfigByEffort[effort];
  const config = ofEffort ?? (isShown ? { includeThoughts: true } : undefined);
  if (config === undefined || effort === 'none' || reasoningBudget === null || thinkingBudgets === null)
    return { config, ignored: [] };
  const { min, max } = thinkingBudgets;
  const thinkingBudget = Math.min(Math.max(reasoningBudget, min), max);
  return {
    config: { ...config, thinkingBudget },
    ignored: thinkingBudget === reasoningBudget ? [] : [names.reasoningBudget],
  };
}

/**
 * Returns the caller's fields of a `GenerateContentRequest` in camel case, including those in `extra_body.google`, where
 * Google's OpenAI-compatible endpoint accepts them: https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function readCallerFields({ extra_body: extra, ...others }: JsonObject): JsonObject {
  const fields = toCamelCase(others);
  if (isAbsent(extra)) return fields;
  const { google = {}, ...unsupported } = readObject(extra, 'extra_body');
  const [name] = Object.keys(unsupported);
  if (name !== undefined) {
    const param = `extra_body.${name}`;
    throw unsupportedParameterError(
      param,
      `${param} is not supported: send Google's fields in extra_body.google`,
    );
  }
  const { thinkingConfig, ...rest } = toCamelCase(readObject(google, 'extra_body.google'));
  const thinking = thinkingConfig === undefined ? {} : { generationConfig: { thinkingConfig } };
  return withProviderFields({ ...rest, ...thinking }, fields);
}

/** The caller's setting takes precedence over `reasoning_effort`. */
function configuresThinking({ generationConfig }: JsonObject): boolean {
  const thinking = isJsonObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
  if (!isJsonObject(thinking)) return false;
  return thinking.thinkingLevel !== undefined || thinking.thinkingBudget !== undefined;
}

/**
 * Objects of the API whose fields callers may write in snake case. Keys of other objects may be names of the caller's
 * own choice.
 */
const nestedFields = [
  'generationConfig',
  'thinkingConfig',
  'toolConfig',
  'functionCallingConfig',
  'responseFormat',
];

function toCamelCase(message: JsonObject): JsonObject {
  const entries = Object.entries(message).map(([field, value]): [string, unknown] => {
    const name = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    return [name, nestedFields.includes(name) && isExactJsonObject(value) ? toCamelCase(value) : value];
  });
  return Object.fromEntries(entries);
}

function conversation({ system, turns }: DialogRequest, model: GoogleModel): JsonObject {
  const contents = googleContents(turns, model);
  if (system.length === 0) return { contents };
  return { systemInstruction: { parts: system.map(googlePart) }, contents };
}

/** https://ai.google.dev/api/generate-content#generationconfig */
function generationConfig(
  request: CompletionRequest,
  { model, thinking }: { model: GoogleModel; thinking: JsonObject | undefined },
): JsonObject {
  const fields: JsonObject = {
    candidateCount: omitDefault(1, request.n),
    maxOutputTokens: request.maxTokens,
    stopSequences: request.stop.length === 0 ? null : request.stop,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: request.seed,
    presencePenalty: model.supportsPenalties ? omitDefault(0, request.presencePenalty) : null,
    frequencyPenalty: model.supportsPenalties ? omitDefault(0, request.frequencyPenalty) : null,
    ...formatFields(request.responseFormat),
    thinkingConfig: thinking,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Some models reject these fields with any value, so defaults are not sent. */
function omitDefault(defaultValue: number, value: number | null): number | null {
  return value === defaultValue ? null : value;
}

/** Google enforces a schema regardless of `strict`. */
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

/**
 * The API caches prompts automatically: https://ai.google.dev/gemini-api/docs/caching. Gemini 3 accepts its generated
 * images only with signatures, for which OpenAI's format has no field.
 */
function ignoredFeatures(request: CompletionRequest): string[] {
  const { ignored, cacheBreakpoints, filenames } = findOptionalFeatures(request);
  return [
    ...ignored,
    ...(cacheBreakpoints.inMessages || cacheBreakpoints.inTools ? [request.names.cacheControl] : []),
    ...(filenames ? [request.names.filename] : []),
  ];
}
