/** A chat completion request: checked, and rewritten for the provider without touching what need not change. */
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson, refuseDeepNesting } from '#lambdas/platform/json/json.ts';
import { type JsonMember, jsonMembers, skipWhitespace } from '#lambdas/platform/json/members.ts';
import { hasLineBreaks } from '#lambdas/request-log/metadata.ts';

export interface ChatRequest {
  /** The body as the caller sent it. */
  text: string;
  /** The body, parsed: for reading only, since parsing rounds numbers that JavaScript cannot hold. */
  body: JsonObject;
  /** `<provider>/<model>` as the caller named it. */
  model: string;
  stream: boolean;
  /** Whether the caller asked for usage in the stream; if not, a chunk with nothing else is not passed on. */
  includeUsage: boolean;
}

const maxModelBytes = 256;
/** Each occurrence is replaced with a name that may be far longer than itself. */
const maxModels = 16;

/** Throws a `GatewayError` (400) that names the field at fault. */
export function parseChatRequest(text: string): ChatRequest {
  const body = parseObject(text);
  const { model, messages, stream, stream_options: streamOptions } = body;
  if (typeof model !== 'string' || model === '') {
    throw invalidRequest('model', 'model must be a string of the form <provider>/<model>');
  }
  if (Buffer.byteLength(model) > maxModelBytes || hasLineBreaks(model)) {
    throw invalidRequest(
      'model',
      `model must be text of at most ${maxModelBytes} bytes, without control characters`,
    );
  }
  if (!Array.isArray(messages)) throw invalidRequest('messages', 'messages must be an array of messages');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidRequest('stream', 'stream must be true or false');
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
  if (body === undefined) throw invalidRequest('body', 'The request body must be valid JSON');
  if (!isJsonObject(body)) throw invalidRequest('body', 'The request body must be a JSON object');
  refuseDeepNesting(body);
  return body;
}

export interface RequestRewrite {
  /** The provider's own name of the model. */
  model: string;
  /** Sets `stream_options.include_usage`, keeping the other stream options. */
  includeUsage: boolean;
}

/**
 * The body for the provider: the caller's text with the model's value replaced and, if asked, usage switched on.
 *
 * Every `model` is replaced, in whatever case, since parsers in Go ignore the case of keys
 * (https://pkg.go.dev/encoding/json#Unmarshal): none can read another model than the one that was logged.
 */
export function rewriteChatRequest(
  request: Pick<ChatRequest, 'text'>,
  { model, includeUsage }: RequestRewrite,
): string {
  const { text } = request;
  const start = skipWhitespace(text, 0);
  const members = jsonMembers(text, start);
  const models = members.filter(({ key }) => key.toLowerCase() === 'model');
  if (models.length > maxModels) throw invalidRequest('model', 'model must be given once');
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
    // The object has a model, so there is a value to stand behind.
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
