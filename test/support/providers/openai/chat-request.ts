/** Parses chat completion requests for the fake providers with OpenAI's format, and validates them as OpenAI does. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Prompt } from '../simulated-model.ts';
import { parameterRules } from './parameter-rules.ts';

export interface ChatRequest {
  model: string;
  messages: {
    role: string;
    content?: unknown;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { function: { name: string; parameters?: object } }[];
  tool_choice?: unknown;
  response_format?: { type: string; json_schema?: { name?: string; schema?: object } };
  body: JsonObject;
}

export function parseChatRequest(bytes: Buffer): ChatRequest | null {
  const body = parseJson(bytes.toString());
  if (!isJsonObject(body) || typeof body.model !== 'string' || !Array.isArray(body.messages)) return null;
  return { ...(body as Omit<ChatRequest, 'body'>), body };
}

export function requestsUsage({ stream_options: options }: ChatRequest): boolean {
  return options?.include_usage === true;
}

export function toPrompt({
  messages,
  tools,
  tool_choice: choice,
  response_format: format,
}: ChatRequest): Prompt {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  const parts = Array.isArray(last) ? last.filter(isJsonObject) : [];
  const chosen = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  const name = typeof chosen === 'string' ? chosen : tools?.[0]?.function.name;
  const tool = tools?.find(({ function: definition }) => definition.name === name)?.function;
  const mayCall = choice !== 'none' && messages.at(-1)?.role !== 'tool';
  const jsonObject = { type: 'object', properties: { result: { type: 'string' } } };
  return {
    tool: mayCall && name !== undefined ? { name, schema: tool?.parameters } : undefined,
    schema: format?.type === 'json_object' ? jsonObject : format?.json_schema?.schema,
    lastUserText: typeof last === 'string' ? last : parts.map(({ text }) => text ?? '').join(''),
  };
}

interface Rejection {
  message: string;
  param: string | null;
  code: string | null;
}

/** Returns the error, or its message, if the request violates the rule. */
export type Rule = (chat: ChatRequest) => Rejection | string | null | undefined | false;

/** https://platform.openai.com/docs/api-reference/chat/create, as in the `openai` package 7.55.0. */
const parameters = new Set([
  'model',
  'messages',
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);
const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

export const toolResultsFollowCalls: Rule = ({ messages }) => {
  let pending: string[] = [];
  for (const { role, tool_call_id: id = '', tool_calls: calls = [] } of messages) {
    if (role === 'tool' && !pending.includes(id))
      return `The tool message has no preceding tool call: '${id}'`;
    if (role !== 'tool' && pending.length > 0) break;
    pending = role === 'tool' ? pending.filter((it) => it !== id) : calls.map((call) => call.id);
  }
  return (
    pending.length > 0 && `The following tool_call_ids did not have response messages: ${pending.join(', ')}`
  );
};

export const openaiRules: readonly Rule[] = [
  ...parameterRules,
  ({ body }) => {
    const unknownField = Object.keys(body).find((name) => !parameters.has(name));
    return unknownField !== undefined && `Unknown parameter: '${unknownField}'.`;
  },
  ({ body, stream }) =>
    body.stream_options != null &&
    stream !== true &&
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  // https://platform.openai.com/docs/guides/reasoning
  ({ body, model }) =>
    body.max_tokens != null &&
    /^(o\d|gpt-[5-9])/.test(model) &&
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ({ messages }) => {
    const invalid = messages.find(({ role }) => !roles.includes(role));
    return invalid && `Invalid value: '${invalid.role}'. Supported values are: ${roles.join(', ')}.`;
  },
  toolResultsFollowCalls,
  ({ messages }) =>
    messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => id.length > 40)) &&
    'Invalid tool call id: string too long. Expected a string with maximum length 40.',
  ({ response_format: format, messages }) =>
    format?.type === 'json_object' &&
    !/json/i.test(JSON.stringify(messages)) &&
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  ({ response_format: format }) =>
    format?.type === 'json_schema' &&
    typeof format.json_schema?.name !== 'string' &&
    "Missing required parameter: 'response_format.json_schema.name'.",
];
