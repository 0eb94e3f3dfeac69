/** Recognizes and reads errors in the JSON of providers and of servers with OpenAI's format, which have many forms. */
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';

export interface ProviderError {
  /** May be empty. */
  message: string;
  code?: string;
  type?: string;
  param?: string;
  /** Set when moderation rejected the caller's content, which some providers report with status 403. */
  moderated?: boolean;
  /** The message of the provider behind OpenRouter. */
  upstreamMessage?: string;
}

/** Values by which servers say that there is no error, besides empty ones. */
const successValues = ['0', '200', 'ok', 'success'];

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
}

function isFailureValue(value: unknown): boolean {
  const text = textOf(value);
  return text !== '' && !successValues.includes(text);
}

/** Fields of an error object of which one must say something. */
const telling = [
  ...['message', 'msg', 'detail', 'description', 'reason', 'errors', 'error_msg'],
  ...['code', 'type', 'status', 'status_code', 'raw_status_code', 'error_code'],
];

/**
 * Returns false for an object without content: some servers send `{"message":"","type":"","param":"","code":null}` beside
 * every completion.
 */
function isErrorValue(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(first)) return first === true || isFailureValue(first);
  return telling.some((name) => isFailureValue(first[name]) || hasContent(first[name]));
}

function hasContent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

/** Fields with a completion, or with a part of one. */
const outputs = ['choices', 'content', 'candidates', 'output', 'delta', 'text', 'result', 'usage'];

/**
 * Accepts a body, an event or a choice. Besides OpenAI's `error`, it knows `type: "error"` (Anthropic:
 * https://docs.claude.com/en/api/errors), `errors` (Cloudflare), `error_code` (Baidu:
 * https://ai.baidu.com/ai-doc/WENXINWORKSHOP/tlmyncueh), `base_resp` (MiniMax:
 * https://platform.minimax.io/docs/api-reference/errorcode.md) and `__type` (AWS).
 */
export function reportsError(value: JsonObject): boolean {
  return (
    isErrorValue(value.error) ||
    value.object === 'error' ||
    value.type === 'error' ||
    isErrorValue(value.errors) ||
    isFailureValue(value.error_code) ||
    isFailureValue(objectOrEmpty(value.base_resp).status_code) ||
    isFailureValue(value.__type) ||
    reportsOnlyMessage(value)
  );
}

/**
 * Recognizes `{"code","message"}` (SiliconFlow, DashScope), `{"message"}` (Mistral), `{"msg"}`, `{"Message"}` (AWS) and
 * `{"detail"}` (FastAPI), where nothing was generated.
 */
function reportsOnlyMessage(value: JsonObject): boolean {
  const { message, msg, Message, error_msg: errorMessage, detail } = value;
  const hasMessage = [message, msg, Message, errorMessage, detail].some(isFailureValue) || hasContent(detail);
  if (!hasMessage || successValues.includes(textOf(value.code))) return false;
  return !outputs.some((name) => hasContent(value[name]) || textOf(value[name]) !== '');
}

/** Returns the object that describes the error, or `value` itself. */
export function errorObject(value: JsonObject): JsonObject {
  const [detail] = filterObjects([objectOrEmpty(value.detail).error, value.detail]);
  const candidates = [value.error, value.errors, value.base_resp, detail]
    .map((candidate): unknown => (Array.isArray(candidate) ? candidate[0] : candidate))
    .filter(isJsonObject);
  return candidates.find(isErrorValue) ?? value;
}

/** Omits the namespace of AWS's types (`com.amazon.coral.service#ThrottlingException`). */
export function codesOf(source: JsonObject): string[] {
  const { code, type, status, error_type: errorType, __type: awsType } = source;
  return [code, type, status, errorType, awsType]
    .filter((text) => typeof text === 'string' && text !== '' && text !== 'error')
    .map((text) => String(text).replace(/^.*#/, ''));
}

/**
 * Accepts `{"error":{"message"}}` (OpenAI), `{"error":"…"}`, `{"message"}` (Mistral, Cohere), `{"detail"}` (FastAPI, and
 * Mistral, which also nests it in `message`), the forms that `reportsError` names, and an array whose first element is one
 * of these. The message is empty for an error that has only a code.
 */
export function parseProviderError(body: unknown): ProviderError | null {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(value)) return null;
  const source = errorObject(value);
  const issues = readIssues(isJsonObject(value.message) ? value.message.detail : value.detail);
  const message = firstText(
    ...messagesOf(source),
    ...[value.error, value.errors].flat(),
    ...messagesOf(value),
    issues.map(({ msg }) => msg).join('; '),
  );
  const code = codesOf(source)[0] ?? numericCode(source);
  if (message === undefined && code === undefined) return null;
  const param = firstText(source.param, issues[0]?.param);
  const { raw } = objectOrEmpty(source.metadata);
  return {
    message: message ?? '',
    ...(code !== undefined && { code }),
    ...(isErrorType(source.type) && { type: source.type }),
    ...(param !== undefined && { param }),
    ...(isModeration(source, message ?? '') && { moderated: true }),
    ...(typeof raw === 'string' && { upstreamMessage: raw }),
  };
}

/** The type of an event can be `error`, which says nothing about the error. */
function isErrorType(type: unknown): type is string {
  return typeof type === 'string' && type !== '' && type !== 'error';
}

function messagesOf({ message, msg, Message, error_msg, status_msg, detail }: JsonObject): unknown[] {
  return [message, msg, Message, error_msg, status_msg, detail];
}

/** Returns a number that is not an HTTP status, such as Baidu's or MiniMax's. */
function numericCode({ code, error_code, status_code }: JsonObject): string | undefined {
  const numbers = [code, error_code, status_code].filter((candidate) => typeof candidate === 'number');
  return numbers.find((number) => number >= 600)?.toString();
}

/**
 * OpenRouter reports findings in the metadata:
 * https://openrouter.ai/docs/api/reference/errors-and-debugging#moderation-errors. xAI's message:
 * https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267
 */
function isModeration({ metadata }: JsonObject, message: string): boolean {
  const hasFindings =
    isJsonObject(metadata) && (Array.isArray(metadata.reasons) || 'flagged_input' in metadata);
  return hasFindings || /^content violates usage guidelines\b/i.test(message);
}

/** Reads Pydantic's validation errors. */
function readIssues(detail: unknown): { msg: string; param: string }[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((item) =>
    isJsonObject(item) && typeof item.msg === 'string' ? [{ msg: item.msg, param: paramAt(item.loc) }] : [],
  );
}

const roles = ['assistant', 'system', 'tool', 'user'];

/** Formats `["body", "messages", 0, "user", "name"]` as `messages[0].name`; the role only selects the schema. */
function paramAt(loc: unknown): string {
  if (!Array.isArray(loc)) return '';
  const steps = loc.filter(
    (step, at) => !(at === 0 && step === 'body') && !(at === 3 && roles.includes(step)),
  );
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${stringOrEmpty(step)}`))
    .join('')
    .slice(1);
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
