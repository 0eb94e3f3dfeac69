/**
 * OpenAI's parameters at a provider that does not have them all: a loss that changes what the answer means is an
 * error, any other is told to the caller, and nothing is bent into a range.
 */
import { GatewayError } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../../domain/json.ts';

/** What is lost with a parameter: `meaning` of the answer, or a `hint` on the way to it. */
type Loss = 'meaning' | 'hint';

/**
 * https://platform.openai.com/docs/api-reference/chat/create and, with `top_k`, what callers of many providers take
 * for one of them.
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

/** What OpenAI itself has in place of them. */
const successors: Readonly<Record<string, string>> = { functions: 'tools', function_call: 'tool_choice' };

/** Read by every protocol, since no answer can be had without. */
const structure = ['messages', 'model', 'stream', 'stream_options'];

/** Values that ask for what happens anyway. */
const neutralValues: Readonly<Record<string, readonly unknown[]>> = {
  frequency_penalty: [0],
  function_call: ['none', 'auto'],
  logprobs: [false],
  n: [1],
  parallel_tool_calls: [true],
  presence_penalty: [0],
  service_tier: ['auto', 'default'],
  store: [false],
  // Neither bends what the model itself holds likely.
  temperature: [1],
  tool_choice: ['auto'],
  top_logprobs: [0],
  top_p: [1],
  verbosity: ['medium'],
};

/**
 * The parameters of the request that are not in `taken` and can be left out, and fields of messages that no native
 * protocol has. Throws a `GatewayError` (400) that names the first parameter that cannot be left out.
 */
export function ignoredParameters(
  body: JsonObject,
  { provider, taken }: { provider: string; taken: ReadonlySet<string> },
): string[] {
  const left = Object.keys(openAiParameters).filter(
    (name) => !taken.has(name) && !isNeutral(name, body[name]),
  );
  const lost = left.find((name) => openAiParameters[name] === 'meaning');
  if (lost !== undefined) {
    const advice = successors[lost] === undefined ? '' : `: use ${successors[lost]}`;
    throw unsupportedParameter(lost, `${lost} is not supported by the provider ${provider}${advice}`);
  }
  return [...left, ...ignoredMessageFields(body)];
}

function ignoredMessageFields({ messages }: JsonObject): string[] {
  const all = objectsIn(messages);
  const named = all.some(({ role, name }) => role !== 'tool' && typeof name === 'string' && name !== '');
  const parts = all.flatMap(({ content }) => objectsIn(content));
  const marked = parts.some(({ prompt_cache_breakpoint: mark }) => isJsonObject(mark));
  return [...(named ? ['messages.name'] : []), ...(marked ? ['prompt_cache_breakpoint'] : [])];
}

export function unsupportedParameter(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', { param, message });
}

/** Fields of the request that are none of OpenAI's: the provider's own, to be passed on as they are. */
export function providerFields(body: JsonObject): JsonObject {
  const own = Object.entries(body).filter(
    ([name]) => !Object.hasOwn(openAiParameters, name) && !structure.includes(name),
  );
  return Object.fromEntries(own);
}

function isNeutral(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (neutralValues[name]?.includes(value)) return true;
  if (name === 'modalities') return Array.isArray(value) && value.every((modality) => modality === 'text');
  if (name === 'response_format') return isJsonObject(value) && value.type === 'text';
  // With this one, to say nothing more is to ask for a search with nothing special.
  if (name === 'web_search_options') return false;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
