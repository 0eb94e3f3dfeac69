/**
 * Handles OpenAI's parameters that a provider does not support. Leaving out a parameter that changes the meaning of the
 * completion is an error; any other is reported to the caller as ignored. Values are never adjusted to fit a range.
 */
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { filterObjects, isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';

/** The effect of leaving out a parameter: the `meaning` of the completion changes, or only a `hint` is lost. */
type Loss = 'meaning' | 'hint';

/**
 * https://platform.openai.com/docs/api-reference/chat/create, and `top_k`, which many OpenAI-compatible providers accept.
 */
const openAiParameters: Readonly<Record<string, Loss>> = {
  audio: 'meaning',
  frequency_penalty: 'hint',
  function_call: 'meaning',
  functions: 'meaning',
  logit_bias: 'meaning',
  logprobs: 'meaning',
  max_completion_tokens: 'meaning',
  max_tokens: 'meaning',
  metadata: 'hint',
  modalities: 'meaning',
  moderation: 'meaning',
  n: 'meaning',
  parallel_tool_calls: 'meaning',
  prediction: 'hint',
  presence_penalty: 'hint',
  prompt_cache_key: 'hint',
  prompt_cache_options: 'hint',
  prompt_cache_retention: 'hint',
  reasoning_effort: 'hint',
  response_format: 'meaning',
  safety_identifier: 'hint',
  seed: 'hint',
  service_tier: 'hint',
  stop: 'meaning',
  store: 'hint',
  temperature: 'hint',
  tool_choice: 'meaning',
  tools: 'meaning',
  top_k: 'hint',
  top_logprobs: 'meaning',
  top_p: 'hint',
  user: 'hint',
  verbosity: 'hint',
  web_search_options: 'meaning',
};

export const openAiParameterNames: readonly string[] = Object.keys(openAiParameters);

/** Supported by all native protocols. */
export const commonParameters: readonly string[] = [
  ...['max_completion_tokens', 'max_tokens', 'response_format', 'stop', 'temperature'],
  ...['tool_choice', 'tools', 'top_k', 'top_p'],
];

const replacementParameters: Readonly<Record<string, string>> = {
  functions: 'tools',
  function_call: 'tool_choice',
};

/** Fields that every protocol handles. */
const structuralFields = ['messages', 'model', 'stream', 'stream_options'];

const defaultValues: Readonly<Record<string, readonly unknown[]>> = {
  frequency_penalty: [0],
  function_call: ['none', 'auto'],
  logprobs: [false],
  n: [1],
  parallel_tool_calls: [true],
  presence_penalty: [0],
  service_tier: ['auto', 'default'],
  store: [false],
  // At 1, `temperature` and `top_p` do not change the model's distribution.
  temperature: [1],
  tool_choice: ['auto'],
  top_logprobs: [0],
  top_p: [1],
  verbosity: ['medium'],
};

/**
 * Includes message fields that no native API supports. Throws a `GatewayError` (400) that names the first parameter
 * that cannot be left out.
 */
export function ignoredParameters(
  body: JsonObject,
  { provider, supported }: { provider: string; supported: ReadonlySet<string> },
): string[] {
  const unsupported = Object.keys(openAiParameters).filter(
    (name) => !supported.has(name) && !isDefault(name, body[name]),
  );
  const essential = unsupported.find((name) => openAiParameters[name] === 'meaning');
  if (essential !== undefined) {
    const advice =
      replacementParameters[essential] === undefined ? '' : `: use ${replacementParameters[essential]}`;
    throw unsupportedParameterError(
      essential,
      `${essential} is not supported by the provider ${provider}${advice}`,
    );
  }
  return [...unsupported, ...ignoredMessageFields(body)];
}

function ignoredMessageFields({ messages }: JsonObject): string[] {
  const all = filterObjects(messages);
  const hasNames = all.some(({ role, name }) => role !== 'tool' && typeof name === 'string' && name !== '');
  const parts = all.flatMap(({ content }) => filterObjects(content));
  const hasBreakpoints = parts.some(({ prompt_cache_breakpoint: value }) => isJsonObject(value));
  return [...(hasNames ? ['messages.name'] : []), ...(hasBreakpoints ? ['prompt_cache_breakpoint'] : [])];
}

export function unsupportedParameterError(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', { param, message });
}

/** Returns the request's fields outside OpenAI's format, which are passed to the provider unchanged. */
export function providerFields(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => isProviderField(name)));
}

export function isProviderField(name: string): boolean {
  return !Object.hasOwn(openAiParameters, name) && !structuralFields.includes(name);
}

function isDefault(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (defaultValues[name]?.includes(value)) return true;
  if (name === 'modalities') return Array.isArray(value) && value.every((modality) => modality === 'text');
  if (name === 'response_format') return isJsonObject(value) && value.type === 'text';
  // An empty object requests a search with default options.
  if (name === 'web_search_options') return false;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Callers may send `null` for a missing field. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function readText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw invalidRequestError(param, `${param} must be a string`);
  return value;
}

export function readObject(value: unknown, param: string): JsonObject {
  if (!isExactJsonObject(value)) throw invalidRequestError(param, `${param} must be an object`);
  return value;
}

export function readOptionalText(value: unknown, param: string): string | null {
  return isAbsent(value) ? null : readText(value, param);
}

export function readOptionalNumber(value: unknown, param: string): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'number') throw invalidRequestError(param, `${param} must be a number`);
  return value;
}

export function readOptionalBoolean(value: unknown, param: string): boolean | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'boolean') throw invalidRequestError(param, `${param} must be true or false`);
  return value;
}

export function readOptionalList(value: unknown, param: string): unknown[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalidRequestError(param, `${param} must be an array`);
  return value;
}

/**
 * Merges objects recursively; the caller's arrays and other values replace translated ones, so that everything can be
 * requested in the provider's format. Returns a new object, in which `__proto__` is an ordinary key.
 */
export function withProviderFields(translated: JsonObject, fields: JsonObject): JsonObject {
  const names = new Set([...Object.keys(translated), ...Object.keys(fields)]);
  return Object.fromEntries(
    [...names].map((name) => {
      if (!Object.hasOwn(fields, name)) return [name, translated[name]];
      const existing = Object.hasOwn(translated, name) ? translated[name] : undefined;
      const value = fields[name];
      return [
        name,
        isExactJsonObject(existing) && isExactJsonObject(value) ? withProviderFields(existing, value) : value,
      ];
    }),
  );
}
