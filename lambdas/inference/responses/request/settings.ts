/** The parameters of a Responses request: https://platform.openai.com/docs/api-reference/responses/create */
import type { Loss, Setting, SettingKey } from '#lambdas/inference/completion/request.ts';
import { unknownFields, valueAt } from '#lambdas/inference/completion/request-fields.ts';
import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { responsesNames } from './names.ts';
import { losesData } from './reasoning.ts';
import { isToolItem } from './tools.ts';

/** Parameters without a neutral equivalent have no key. */
const parameters: Readonly<Record<string, readonly [SettingKey | null, Loss]>> = {
  client_metadata: [null, 'hint'],
  context_management: [null, 'hint'],
  conversation: [null, 'meaning'],
  frequency_penalty: ['frequencyPenalty', 'hint'],
  include: [null, 'hint'],
  max_output_tokens: ['maxTokens', 'meaning'],
  // It limits only the calls of the provider's own tools.
  max_tool_calls: [null, 'hint'],
  metadata: ['metadata', 'hint'],
  moderation: ['moderation', 'meaning'],
  parallel_tool_calls: ['parallelToolCalls', 'meaning'],
  presence_penalty: ['presencePenalty', 'hint'],
  previous_response_id: [null, 'meaning'],
  prompt: [null, 'meaning'],
  prompt_cache_key: ['promptCacheKey', 'hint'],
  prompt_cache_options: ['promptCacheOptions', 'hint'],
  prompt_cache_retention: ['promptCacheRetention', 'hint'],
  'reasoning.effort': ['reasoningEffort', 'hint'],
  safety_identifier: ['user', 'hint'],
  service_tier: ['serviceTier', 'hint'],
  store: [null, 'hint'],
  temperature: ['temperature', 'hint'],
  'text.format': ['responseFormat', 'meaning'],
  'text.verbosity': ['verbosity', 'hint'],
  tool_choice: ['toolChoice', 'meaning'],
  tools: ['tools', 'meaning'],
  top_logprobs: [null, 'meaning'],
  top_p: ['topP', 'hint'],
  truncation: [null, 'hint'],
  user: ['user', 'hint'],
};

/** Fields that are read otherwise, or that have no effect on the response. */
const structuralFields = [
  ...['background', 'input', 'instructions', 'model', 'reasoning', 'stream', 'stream_options', 'text'],
];

/** For fields by which a request continues what a provider keeps. */
const stateAdvice = 'the earlier items in input, with store: false';
const replacements: Readonly<Record<string, string>> = {
  conversation: stateAdvice,
  previous_response_id: stateAdvice,
  prompt: 'instructions and input',
};

/** Lists all parameters in the body of a request, in alphabetical order. */
export function responsesSettings(body: JsonObject): Setting[] {
  return Object.entries(parameters).flatMap(([name, [key, loss]]): Setting[] => {
    const value = valueAt(body, name);
    if (value === undefined) return [];
    const isDefault =
      isDefaultValue(name, value) || (name === 'parallel_tool_calls' && isLimitedToOneCall(body));
    const isLogprobs = name === 'include' && includesLogprobs(value);
    return [
      {
        name,
        key,
        value,
        isDefault,
        loss: isLogprobs ? 'meaning' : loss,
        replacement: replacements[name] ?? null,
      },
    ];
  });
}

/** True if the choice itself allows no parallel calls of different tools: it is one tool or none. */
export function isLimitedToOneCall({ input, tools, tool_choice: choice }: JsonObject): boolean {
  const { type } = objectOrEmpty(choice);
  if (choice === 'none' || type === 'function' || type === 'custom') return true;
  const hasMore = filterObjects(input).some(isToolItem) || filterObjects(tools).some(isGroup);
  const offered = hasMore ? Number.POSITIVE_INFINITY : filterObjects(tools).length;
  return choice === 'required' ? offered === 1 : offered === 0;
}

function isGroup({ type }: JsonObject): boolean {
  return type === 'namespace';
}

/** A part of each text, unlike the other values, which belong to tools of the provider. */
function includesLogprobs(include: unknown): boolean {
  return Array.isArray(include) && include.includes('message.output_text.logprobs');
}

/** Nothing is stored, as with `store: false`. */
const defaultValues: Readonly<Record<string, readonly unknown[]>> = {
  frequency_penalty: [0],
  parallel_tool_calls: [true],
  presence_penalty: [0],
  service_tier: ['auto', 'default'],
  store: [false],
  // At 1, `temperature` and `top_p` do not change the model's distribution.
  temperature: [1],
  'text.verbosity': ['medium'],
  tool_choice: ['auto'],
  top_logprobs: [0],
  top_p: [1],
  truncation: ['disabled'],
};

function isDefaultValue(name: string, value: unknown): boolean {
  if (value === null || defaultValues[name]?.includes(value)) return true;
  // Reasoning always has it.
  if (name === 'include' && Array.isArray(value))
    return value.every((part) => part === 'reasoning.encrypted_content');
  if (name === 'text.format') return isJsonObject(value) && value.type === 'text';
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns the request's fields outside the format, which are passed to the provider unchanged. */
export function providerFields(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => isProviderField(name)));
}

export function isProviderField(name: string): boolean {
  return !Object.hasOwn(parameters, name) && !structuralFields.includes(name);
}

const textFields = ['format', 'verbosity'];
/** Reasoning that a provider shows is always returned as a summary. */
const reasoningFields = ['effort', 'summary', 'generate_summary'];
const toolFields = ['description', 'format', 'name', 'parameters', 'strict', 'tools', 'type'];
const readItems: readonly unknown[] = [
  ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ...['custom_tool_call', 'custom_tool_call_output'],
];

/**
 * Lists the items, and the fields of items, tools and settings, that no other format has. `provider` is the one whose data in
 * encrypted content is kept.
 */
export function ignoredFields(
  { input, tools, text, reasoning }: JsonObject,
  provider: string | null,
): string[] {
  const items = filterObjects(input);
  const others = items.filter((item) => !readItems.includes(item.type ?? 'message') && !isToolItem(item));
  const callersTools = filterObjects(tools).filter(
    ({ type }) => type === 'function' || type === 'custom' || type === 'namespace',
  );
  return [
    ...unknownFields([objectOrEmpty(text)], textFields).map((name) => `text.${name}`),
    ...unknownFields([objectOrEmpty(reasoning)], reasoningFields).map((name) => `reasoning.${name}`),
    ...new Set(others.map(({ type }) => `input.${String(type)}`)),
    ...(items.some(hasBreakpoint) ? [responsesNames.cacheControl] : []),
    ...(items.some(({ phase }) => typeof phase === 'string') ? ['input.phase'] : []),
    ...(items.some((item) => losesData(item, provider)) ? [responsesNames.reasoning] : []),
    ...unknownFields(callersTools, toolFields).map((name) => `tools.${name}`),
  ];
}

/** In the content of a message or in the output of a tool. */
function hasBreakpoint({ content, output }: JsonObject): boolean {
  const parts = [...filterObjects(content), ...filterObjects(output)];
  return parts.some(({ prompt_cache_breakpoint: breakpoint }) => isJsonObject(breakpoint));
}
