/** What a provider says of an error, in any of the forms that OpenAI-format providers use. */
import { isJsonObject, type JsonObject, textOf } from '#lambdas/platform/json/json.ts';

export interface SaidError {
  message: string;
  code?: string;
  param?: string;
  /** The caller's words were refused, although the status speaks of permission. */
  moderated?: boolean;
}

/**
 * xAI says so (https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267), OpenRouter shows what it found:
 * https://openrouter.ai/docs/api/reference/errors-and-debugging#moderation-errors
 */
const moderationMessage = /^content violates usage guidelines\b/i;

/**
 * Kinds of errors whose HTTP status is known, by `code` or `type`. Anthropic's:
 * https://docs.claude.com/en/api/errors; OpenAI's: https://platform.openai.com/docs/guides/error-codes
 */
const statusOfKind: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['model_not_found', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Whether a JSON object with a status of 2xx, or inside a stream, is an error. */
export function holdsError(value: JsonObject): boolean {
  return isJsonObject(value.error) || firstText(value.error) !== undefined || value.object === 'error';
}

/**
 * The HTTP status that the error would have had outside: as a number (OpenRouter and vLLM say `code`, Groq
 * `status_code`, Mistral `raw_status_code`), or by the name of its kind. The code is asked before the type: OpenAI's
 * for a wrong key is `invalid_api_key`, of type `invalid_request_error`.
 */
export function statusInside(value: JsonObject): number | null {
  const source = isJsonObject(value.error) ? value.error : value;
  const numbers = [source.code, source.status, source.status_code, source.raw_status_code].map(numberOf);
  const status = numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  if (status !== undefined) return status;
  const kinds = [source.code, source.type].filter((kind) => typeof kind === 'string');
  return kinds.map((kind) => statusOfKind.get(kind)).find((known) => known !== undefined) ?? null;
}

/** Anything else may refuse to become a number: `{"toString":1}` does. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/**
 * The forms in use: `{"error":{"message"}}` (OpenAI), `{"error":"…"}`, `{"message"}` (Mistral, Cohere),
 * `{"detail"}` (FastAPI, and Mistral, which also puts it into `message`), and any of them as the first of a list.
 */
export function readSaidError(said: unknown): SaidError | null {
  const value: unknown = Array.isArray(said) ? said[0] : said;
  if (!isJsonObject(value)) return null;
  const source = isJsonObject(value.error) ? value.error : value;
  const details = readDetails(isJsonObject(value.message) ? value.message.detail : value.detail);
  const message = firstText(
    source.message,
    value.error,
    value.message,
    value.detail,
    details.map(({ msg }) => msg).join('; '),
  );
  if (message === undefined) return null;
  const code = firstText(source.code, source.type);
  const param = firstText(source.param, details[0]?.param);
  return {
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
    ...(isModeration(source, message) && { moderated: true }),
  };
}

function isModeration({ metadata }: JsonObject, message: string): boolean {
  const found = isJsonObject(metadata) && (Array.isArray(metadata.reasons) || 'flagged_input' in metadata);
  return found || moderationMessage.test(message);
}

/** Pydantic's list of what is wrong in a request, each with the place. */
function readDetails(detail: unknown): { msg: string; param: string }[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((item) =>
    isJsonObject(item) && typeof item.msg === 'string' ? [{ msg: item.msg, param: paramAt(item.loc) }] : [],
  );
}

const roles = ['assistant', 'system', 'tool', 'user'];

/** `["body", "messages", 0, "user", "name"]` is `messages[0].name`: the role says which kind of message was meant. */
function paramAt(loc: unknown): string {
  if (!Array.isArray(loc)) return '';
  const steps = loc.filter(
    (step, at) => !(at === 0 && step === 'body') && !(at === 3 && roles.includes(step)),
  );
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${textOf(step)}`))
    .join('')
    .slice(1);
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
