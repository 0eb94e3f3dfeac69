/** Validates a chat completion request, and rewrites its text for the provider with as few changes as possible. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, numberOr, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { type JsonMember, jsonMembers } from '#lambdas/platform/json/members.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CompletionRequest } from '../completion/request.ts';
import type { CompletionCall, ProviderCall } from '../providers/provider.ts';
import type { ExpectedResult } from '../providers/translation/choice-states.ts';
import { applyEdits, bodyMembers, modelEdits, parseBody, readModel, type TextEdit } from '../request-body.ts';

export interface ChatRequest extends CompletionCall {
  format: 'chat.completions';
  text: string;
  /** Parsed from `text`, for reading only: parsing rounds numbers that JavaScript cannot represent. */
  body: JsonObject;
  /** `<provider>/<model>`. */
  model: string;
  /** `stream_options.include_usage`; when false, the stream's usage chunk is not forwarded. */
  includeUsage: boolean;
}

const loadRequestReader = lazy(async () => (await import('./request/request.ts')).readChatCompletion);
const loadResponseWriter = lazy(async () => (await import('./response/writer.ts')).createChatWriter);

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseChatRequest(text: string): ChatRequest {
  const body = parseBody(text);
  const model = readModel(body);
  const { messages, stream, stream_options: streamOptions } = body;
  if (!Array.isArray(messages))
    throw invalidRequestError('messages', 'messages must be an array of messages');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidRequestError('stream', 'stream must be true or false');
  }
  const includeUsage = isJsonObject(streamOptions) && streamOptions.include_usage === true;
  const requested = { stream: stream === true, includeUsage };
  return {
    format: 'chat.completions',
    text,
    body,
    model,
    ...requested,
    readCompletion: lazy(async () => (await loadRequestReader())({ text, body })),
    async loadWriter() {
      const createWriter = await loadResponseWriter();
      return createWriter({ ...requested, expected: expectedResult(body) });
    },
  };
}

/** Reads the whole request for a provider that takes instructions between turns, which stay there. */
export async function readInPlace({ text, body }: ChatRequest): Promise<CompletionRequest> {
  const read = await loadRequestReader();
  return read({ text, body }, { keepsPlaces: true });
}

/** A call whose caller uses OpenAI's chat format. */
export type ChatCall = ProviderCall & { request: ChatRequest };

export function isChatCall(call: ProviderCall): call is ChatCall {
  return call.request.format === 'chat.completions';
}

export function expectedResult({ n, tool_choice: choice }: JsonObject): ExpectedResult {
  return { choices: numberOr(n, 1), choosesFunction: objectOrEmpty(choice).type === 'function' };
}

interface RequestRewrite {
  model: string;
  /** Sets `stream_options.include_usage` and keeps the other stream options. */
  includeUsage: boolean;
}

/** Replaces the model, see `modelEdits`. */
export function rewriteChatRequest(
  { text }: Pick<ChatRequest, 'text'>,
  { model, includeUsage }: RequestRewrite,
): string {
  const members = bodyMembers(text);
  const edits = modelEdits(members, model);
  return applyEdits(text, includeUsage ? [...edits, ...usageEdits(text, members)] : edits);
}

function usageEdits(text: string, members: readonly JsonMember[]): TextEdit[] {
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
