/** The parameters of a chat completion request in OpenAI's format, with their defaults. */
import { filterObjects, isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { Loss, Setting, SettingKey } from '../completion/request.ts';

/**
 * https://platform.openai.com/docs/api-reference/chat/create, and `top_k`, which many OpenAI-compatible providers accept.
 */
const openAiParameters: Readonly<Record<string, readonly [SettingKey, Loss]>> = {
  audio: ['audio', 'meaning'],
  frequency_penalty: ['frequencyPenalty', 'hint'],
  function_call: ['functionCall', 'meaning'],
  functions: ['functions', 'meaning'],
  logit_bias: ['logitBias', 'meaning'],
  logprobs: ['logprobs', 'meaning'],
  max_completion_tokens: ['maxTokens', 'meaning'],
  max_tokens: ['maxTokens', 'meaning'],
  metadata: ['metadata', 'hint'],
  modalities: ['modalities', 'meaning'],
  moderation: ['moderation', 'meaning'],
  n: ['n', 'meaning'],
  parallel_tool_calls: ['parallelToolCalls', 'meaning'],
  prediction: ['prediction', 'hint'],
  presence_penalty: ['presencePenalty', 'hint'],
  prompt_cache_key: ['promptCacheKey', 'hint'],
  prompt_cache_options: ['promptCacheOptions', 'hint'],
  prompt_cache_retention: ['promptCacheRetention', 'hint'],
  reasoning_effort: ['reasoningEffort', 'hint'],
  response_format: ['responseFormat', 'meaning'],
  safety_identifier: ['user', 'hint'],
  seed: ['seed', 'hint'],
  service_tier: ['serviceTier', 'hint'],
  stop: ['stop', 'meaning'],
  store: ['store', 'hint'],
  temperature: ['temperature', 'hint'],
  tool_choice: ['toolChoice', 'meaning'],
  tools: ['tools', 'meaning'],
  top_k: ['topK', 'hint'],
  top_logprobs: ['topLogprobs', 'meaning'],
  top_p: ['topP', 'hint'],
  user: ['user', 'hint'],
  verbosity: ['verbosity', 'hint'],
  web_search_options: ['webSearchOptions', 'meaning'],
};

export const openAiParameterNames: readonly string[] = Object.keys(openAiParameters);

/** Returns the names of a setting in OpenAI's format; the last one is the oldest. */
export function openAiNamesOf(key: SettingKey): string[] {
  return openAiParameterNames.filter((name) => openAiParameters[name]?.[0] === key);
}

/** Returns `null` for a name that is not a parameter of OpenAI's format. */
export function settingKeyOf(name: string): SettingKey | null {
  return Object.hasOwn(openAiParameters, name) ? (openAiParameters[name]?.[0] ?? null) : null;
}

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

/** Lists all parameters in the body of a request, in alphabetical order. */
export function chatSettings(body: JsonObject): Setting[] {
  return Object.entries(openAiParameters)
    .filter(([name]) => body[name] !== undefined)
    .map(([name, [key, loss]]) => ({
      name,
      key,
      value: body[name],
      isDefault: isDefault(name, body[name]),
      loss,
      replacement: replacementParameters[name] ?? null,
    }));
}

/** Lists the fields of messages that no native API supports. */
export function ignoredMessageFields({ messages }: JsonObject): string[] {
  const all = filterObjects(messages);
  const hasNames = all.some(({ role, name }) => role !== 'tool' && typeof name === 'string' && name !== '');
  const parts = all.flatMap(({ content }) => filterObjects(content));
  const hasBreakpoints = parts.some(({ prompt_cache_breakpoint: value }) => isJsonObject(value));
  return [...(hasNames ? ['messages.name'] : []), ...(hasBreakpoints ? ['prompt_cache_breakpoint'] : [])];
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
