/** What Mistral refuses in a request: every field that it does not know, wherever it stands, and ids in another form. */
import { isJsonObject, type JsonObject, objectsIn } from '#lambdas/platform/json/json.ts';
import type { Refusal } from '../openai/openai-dialect.ts';
import type { ChatRequest } from '../openai/openai-request.ts';

/** https://docs.mistral.ai/api/#tag/chat */
const parameters = [
  ...['model', 'messages', 'temperature', 'top_p', 'max_tokens', 'stream', 'stop', 'random_seed', 'n'],
  ...['response_format', 'tools', 'tool_choice', 'presence_penalty', 'frequency_penalty', 'prediction'],
  ...['parallel_tool_calls', 'prompt_mode', 'reasoning_effort', 'safe_prompt', 'metadata', 'guardrails'],
  ...['prompt_cache_key', 'document_image_limit', 'document_page_limit'],
];

const messageFields: Record<string, readonly string[]> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
};

const toolCallFields = ['id', 'type', 'function', 'index'];

interface Detail {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

export function refusedByMistral(chat: ChatRequest): Refusal | null {
  const detail = [
    ...extraFields(chat.body, parameters, ['body']),
    ...messageProblems(chat),
    ...partProblems(chat),
    ...toolProblems(chat),
  ];
  if (detail.length > 0) return { status: 422, body: { detail } };
  return refusedCallId(chat) ?? refusedOrder(chat);
}

function extraFields(value: JsonObject, known: readonly string[], loc: Detail['loc']): Detail[] {
  const extra = Object.keys(value).filter((name) => !known.includes(name));
  const msg = 'Extra inputs are not permitted';
  return extra.map((name) => ({ type: 'extra_forbidden', loc: [...loc, name], msg, input: value[name] }));
}

function messageProblems({ messages }: ChatRequest): Detail[] {
  return messages.flatMap((message, at) => {
    const loc = ['body', 'messages', at];
    const known = messageFields[message.role];
    if (known === undefined) {
      const msg = `Input tag '${message.role}' found using 'role' does not match any of the expected tags: 'assistant', 'system', 'tool', 'user'`;
      return [{ type: 'union_tag_invalid', loc, msg, input: message }];
    }
    const calls = (message.tool_calls ?? []).flatMap((call, place) =>
      extraFields({ ...call }, toolCallFields, [...loc, message.role, 'tool_calls', place]),
    );
    return [...extraFields({ ...message }, known, [...loc, message.role]), ...calls];
  });
}

/** https://github.com/mistralai/client-python: `models/audiochunk.py` */
function partProblems({ messages }: ChatRequest): Detail[] {
  return messages.flatMap(({ role, content }, at) =>
    objectsIn(content).flatMap((part, place) => {
      const loc = ['body', 'messages', at, role, 'content', place];
      const marks = part.cache_control === undefined ? [] : extraFields(part, ['type', 'text'], loc);
      if (part.type !== 'input_audio' || typeof part.input_audio === 'string') return marks;
      const msg = 'Input should be a valid string';
      return [...marks, { type: 'string_type', loc: [...loc, 'input_audio'], msg, input: part.input_audio }];
    }),
  );
}

/** https://github.com/mistralai/client-python: `models/tool.py`, `models/function.py` */
function toolProblems({ body }: ChatRequest): Detail[] {
  return objectsIn(body.tools).flatMap((tool, at) => {
    const { function: callee } = tool;
    const loc = ['body', 'tools', at];
    if (!isJsonObject(callee)) return [];
    const functionFields = ['name', 'description', 'parameters', 'strict'];
    const missing = { type: 'missing', loc: [...loc, 'function', 'parameters'], msg: 'Field required' };
    return [
      ...extraFields(tool, ['type', 'function'], loc),
      ...extraFields(callee, functionFields, [...loc, 'function']),
      ...(callee.parameters === undefined ? [{ ...missing, input: callee }] : []),
    ];
  });
}

/** https://github.com/mistralai/mistral-common: an id is nine letters and digits. */
function refusedCallId({ messages }: ChatRequest): Refusal | null {
  const ids = messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
    ...calls.map((call) => call.id),
    ...(id === undefined ? [] : [id]),
  ]);
  const wrong = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  if (wrong === undefined) return null;
  const message = `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`;
  return mistralError(400, { message, type: 'invalid_function_call', code: '3280' });
}

function refusedOrder({ messages }: ChatRequest): Refusal | null {
  const after = messages.findIndex(
    ({ role }, at) => role === 'tool' && !['assistant', 'tool'].includes(messages[at - 1]?.role ?? ''),
  );
  if (after !== -1) {
    const message = `Unexpected role 'tool' after role '${messages[after - 1]?.role ?? 'none'}'`;
    return mistralError(400, { message, type: 'invalid_request_message_order', code: '3230' });
  }
  const calls = messages.flatMap(({ tool_calls: calls }) => calls ?? []).length;
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (calls === results) return null;
  const message = 'Not the same number of function calls and responses';
  return mistralError(400, { message, type: 'invalid_request_message_order', code: '3230' });
}

export function mistralError(status: number, said: { message: string; type: string; code: string }): Refusal {
  return { status, body: { object: 'error', ...said, param: null, raw_status_code: status } };
}
