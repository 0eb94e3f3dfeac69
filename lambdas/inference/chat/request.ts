/** Validates a chat completion request, and rewrites its text for the provider with as few changes as possible. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { assertMaxNesting, isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { type JsonMember, jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { isPrintable } from '#lambdas/request-log/printable-text.ts';

export interface ChatRequest {
  text: string;
  /** Parsed from `text`, for reading only: parsing rounds numbers that JavaScript cannot represent. */
  body: JsonObject;
  /** `<provider>/<model>`. */
  model: string;
  stream: boolean;
  /** `stream_options.include_usage`; when false, the stream's usage chunk is not forwarded. */
  includeUsage: boolean;
}

export const maxModelBytes = 256;
/** Bounds the growth of a request with duplicate `model` keys, each of which may be replaced with a longer name. */
const maxModels = 16;

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseChatRequest(text: string): ChatRequest {
  const body = parseObject(text);
  const { model, messages, stream, stream_options: streamOptions } = body;
  if (typeof model !== 'string' || model === '') {
    throw invalidRequestError('model', 'model must be a string of the form <provider>/<model>');
  }
  if (Buffer.byteLength(model) > maxModelBytes || !isPrintable(model)) {
    throw invalidRequestError(
      'model',
      `model must be a string of at most ${maxModelBytes} bytes, without control characters`,
    );
  }
  if (!Array.isArray(messages))
    throw invalidRequestError('messages', 'messages must be an array of messages');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidRequestError('stream', 'stream must be true or false');
  }
  return {
    text,
    body,
    model,
    stream: stream === true,
    includeUsage: isJsonObject(streamOptions) && streamOptions.include_usage === true,
  };
}

function parseObject(text: string): JsonObject {
  const body = parseJson(text);
  if (body === undefined) throw invalidRequestError('body', 'The request body must be valid JSON');
  if (!isJsonObject(body)) throw invalidRequestError('body', 'The request body must be a JSON object');
  assertMaxNesting(body);
  return body;
}

interface RequestRewrite {
  model: string;
  /** Sets `stream_options.include_usage` and keeps the other stream options. */
  includeUsage: boolean;
}

/**
 * Replaces every `model` key, in any letter case: Go's JSON parser ignores the case of keys
 * (https://pkg.go.dev/encoding/json#Unmarshal), and the provider must not read a model other than the logged one.
 */
export function rewriteChatRequest(
  request: Pick<ChatRequest, 'text'>,
  { model, includeUsage }: RequestRewrite,
): string {
  const { text } = request;
  const start = skipWhitespace(text, 0);
  const members = jsonMembers(text, start);
  const models = members.filter(({ key }) => key.toLowerCase() === 'model');
  if (models.length > maxModels) throw invalidRequestError('model', 'model must be given once');
  const edits: Edit[] = models.map(({ start, end }) => ({ start, end, text: JSON.stringify(model) }));
  if (includeUsage) edits.push(...usageEdits(text, members));
  return applyEdits(text, edits);
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

function usageEdits(text: string, members: JsonMember[]): Edit[] {
  const options = members.findLast(({ key }) => key === 'stream_options');
  if (options === undefined) {
    // The object has at least the member `model` to append to.
    const end = members.at(-1)?.end ?? text.length;
    return [{ start: end, end, text: ',"stream_options":{"include_usage":true}' }];
  }
  if (text[options.start] !== '{') {
    return text.startsWith('null', options.start) ? [{ ...options, text: '{"include_usage":true}' }] : [];
  }
  const inner = jsonMembers(text, options.start);
  const existing = inner.findLast(({ key }) => key === 'include_usage');
  if (existing !== undefined) return [{ ...existing, text: 'true' }];
  const at = options.start + 1;
  return [
    { start: at, end: at, text: inner.length === 0 ? '"include_usage":true' : '"include_usage":true,' },
  ];
}

function applyEdits(text: string, edits: Edit[]): string {
  let result = '';
  let from = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}
