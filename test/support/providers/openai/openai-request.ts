/** A chat completion request as a fake of the OpenAI format reads it, and what OpenAI refuses in one. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';

export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
  response_format?: { type: string; json_schema?: { name?: string; schema?: object } };
  /** The body as it came, for what is looked for by name. */
  body: JsonObject;
}

export interface RequestProblem {
  message: string;
  param: string | null;
  code: string | null;
}

const problem = (message: string, param: string | null = null, code: string | null = null) => ({
  message,
  param,
  code,
});

/** What no server of this format can do without. */
export function parseChatRequest(bytes: Buffer): ChatRequest | RequestProblem {
  const body = parseJson(bytes.toString());
  if (!isJsonObject(body)) return problem('We could not parse the JSON body of your request.');
  if (typeof body.model !== 'string') return problem('you must provide a model parameter');
  if (!Array.isArray(body.messages)) {
    return problem("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  return { ...(body as Omit<ChatRequest, 'body'>), body };
}

export function isRequestProblem(parsed: ChatRequest | RequestProblem): parsed is RequestProblem {
  return 'message' in parsed && !('messages' in parsed);
}

/** https://platform.openai.com/docs/api-reference/chat/create, as in the `openai` package 7.55.0. */
const parameters = new Set([
  ...['model', 'messages', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias'],
  ...['logprobs', 'max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'moderation', 'n'],
  ...['parallel_tool_calls', 'prediction', 'presence_penalty', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'reasoning_effort', 'response_format', 'safety_identifier', 'seed'],
  ...['service_tier', 'stop', 'store', 'stream', 'stream_options', 'temperature', 'tool_choice', 'tools'],
  ...['top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options'],
]);

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/** What OpenAI itself refuses, with its words; `null` when nothing. */
export function refusedByOpenAI(chat: ChatRequest): RequestProblem | null {
  return refusedParameter(chat) ?? refusedMessages(chat.messages) ?? refusedFormat(chat);
}

function refusedParameter({ body, model, stream }: ChatRequest): RequestProblem | null {
  const unknown = Object.keys(body).find((name) => !parameters.has(name));
  if (unknown !== undefined) {
    return problem(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  }
  if (body.stream_options != null && stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return problem(message, 'stream_options');
  }
  // https://platform.openai.com/docs/guides/reasoning
  if (body.max_tokens != null && /^(o\d|gpt-[5-9])/.test(model)) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return problem(message, 'max_tokens', 'unsupported_parameter');
  }
  return null;
}

function refusedMessages(messages: ChatMessage[]): RequestProblem | null {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (!roles.includes(message.role)) {
      const supported = roles.map((role) => `'${role}'`).join(', ');
      const text = `Invalid value: '${message.role}'. Supported values are: ${supported}.`;
      return problem(text, `messages[${at}].role`, 'invalid_value');
    }
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) return orphan(at);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unanswered(at, open);
    open = message.tool_calls?.map(({ id }) => id) ?? [];
    const long = open.find((id) => id.length > 40);
    if (long !== undefined) return tooLong(at, open.indexOf(long), long.length);
  }
  return open.length > 0 ? unanswered(messages.length, open) : null;
}

function orphan(at: number): RequestProblem {
  const message =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return problem(message, `messages.[${at}].role`);
}

function unanswered(at: number, ids: string[]): RequestProblem {
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  return problem(message, `messages.[${at}].role`);
}

function tooLong(at: number, place: number, length: number): RequestProblem {
  const param = `messages[${at}].tool_calls[${place}].id`;
  const message =
    `Invalid '${param}': string too long. Expected a string with maximum length 40, but got a string with ` +
    `length ${length} instead.`;
  return problem(message, param, 'string_above_max_length');
}

function refusedFormat({ response_format: format, messages }: ChatRequest): RequestProblem | null {
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(messages))) {
    const message =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    return problem(message, 'messages');
  }
  if (format?.type === 'json_schema' && typeof format.json_schema?.name !== 'string') {
    const param = 'response_format.json_schema.name';
    return problem(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
  }
  return null;
}
