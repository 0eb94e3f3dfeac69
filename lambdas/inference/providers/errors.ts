/** Converts providers' errors, which come in several formats, into the gateway's errors. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { retryAfterOf } from './http/headers.ts';
import type { ErrorResponse } from './provider.ts';

export interface ProviderFailure {
  provider: string;
  model: string;
  /** The HTTP status, or the equivalent of the provider's error type. */
  status: number;
  error: ProviderError | null;
  /** The value of `retry-after`: seconds or an HTTP date. */
  retryAfter?: string | undefined;
}

export interface ProviderError {
  message: string;
  code?: string;
  param?: string;
  /** Set when moderation rejected the caller's content, which some providers report with status 403. */
  moderated?: boolean;
}

export function readErrorResponse({
  provider,
  model,
  status,
  headers,
  body,
}: ErrorResponse & { provider: string; model: string }): GatewayError {
  const error = parseProviderError(parseJson(body.toString('utf8')));
  return toGatewayError({ provider, model, status, error, retryAfter: headers['retry-after'] });
}

/** Finds an error in a 2xx response or in one of its stream's events. */
export function findErrorInBody(
  value: JsonObject,
  { provider, model }: { provider: string; model: string },
): GatewayError | null {
  const hasError =
    isJsonObject(value.error) || firstText(value.error) !== undefined || value.object === 'error';
  if (!hasError) return null;
  const error = parseProviderError(value) ?? { message: `The provider ${provider} reported an error` };
  return toGatewayError({ provider, model, status: statusInBody(value) ?? 500, error });
}

/** Errors caused by the caller keep their 4xx status; those of the gateway and the provider become 5xx. */
export function toGatewayError(failure: ProviderFailure): GatewayError {
  const { provider, model, status, error } = failure;
  if (status >= 300 && status < 400) return redirectError(provider, status);
  const retryAfter = retryAfterOf(failure.retryAfter);
  const details = {
    ...detailsOf(error, `The provider ${provider} returned status ${status}`),
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  };
  if (error?.moderated && (status === 400 || status === 403)) return moderationError(error);
  if (isWrongKey(failure)) return invalidCredentialError(provider);
  if (isMissingModel(failure)) {
    const reason = error?.message === undefined ? '' : `: ${error.message}`;
    const message = `The provider ${provider} has no model ${model}${reason}`;
    return new GatewayError('model_not_found', { message, param: 'model' });
  }
  switch (status) {
    case 400:
    case 413:
    case 422:
      return new GatewayError('provider_rejected_request', { ...details, status });
    case 429:
      return new GatewayError('rate_limit_exceeded', details);
    case 408:
    case 504:
      return new GatewayError('provider_timeout', details);
    case 503:
    case 529:
      return new GatewayError('provider_unavailable', details);
    default:
      return new GatewayError('provider_error', details);
  }
}

function redirectError(provider: string, status: number): GatewayError {
  return new GatewayError('provider_error', {
    message: `The provider ${provider} returned a redirect (status ${status}), which is not followed: the gateway's operator must correct the base URL`,
  });
}

function detailsOf(error: ProviderError | null, fallback: string): GatewayErrorDetails {
  if (error === null) return { message: fallback };
  const { message, code, param } = error;
  return {
    message: message || fallback,
    ...(code !== undefined && { providerCode: code }),
    ...(param !== undefined && { param }),
  };
}

/** Removes the end of xAI's message, which names the team, the API key and the model. */
function moderationError({ message }: ProviderError): GatewayError {
  return new GatewayError('provider_rejected_request', {
    message: message.replace(/ Team: .*/s, ''),
    providerCode: 'content_filter',
  });
}

/**
 * xAI and Google report an invalid key with status 400; xAI's message quotes the start and the end of the key
 * (https://github.com/openai/codex/issues/1352).
 */
const wrongKeyMessage = /^(incorrect|invalid) api key\b|^api key (not valid|not found|expired)\b/i;

function isWrongKey({ status, error }: ProviderFailure): boolean {
  if (status === 401 || status === 403) return true;
  return status === 400 && error !== null && wrongKeyMessage.test(error.message);
}

/** Omits the provider's message, which may quote a part of the credential. */
function invalidCredentialError(provider: string): GatewayError {
  const message = `The provider ${provider} rejected the gateway's credentials; the gateway's operator must replace them`;
  return new GatewayError('provider_authentication_failed', { message });
}

const missingModelCodes = ['model_not_found', 'invalid_model', 'model_not_available', 'DeploymentNotFound'];
const missingModelMessage =
  /(?<=\bmodel\W{1,4}(\S{1,256}\s{1,4})?)(does not exist|not exist|not found)|\bnot a valid model\b|\binvalid model(:| name\b| id\b|$)/i;

/** A 404 can also mean a wrong base URL, and a 400 can mention a model for other reasons, so the error is checked too. */
function isMissingModel({ status, model, error }: ProviderFailure): boolean {
  if (error === null || (status !== 404 && status !== 400)) return false;
  if (missingModelCodes.includes(error.code ?? '')) return true;
  if (error.param !== undefined && error.param !== 'model') return false;
  return missingModelMessage.test(error.message) || (status === 404 && error.message.includes(model));
}

/**
 * The HTTP status by the error's `code` or `type`. Anthropic: https://docs.claude.com/en/api/errors;
 * OpenAI: https://platform.openai.com/docs/guides/error-codes
 */
const statusByCode: ReadonlyMap<string, number> = new Map([
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

/**
 * Returns the HTTP status that an error in a 2xx response stands for: a number (`code` at OpenRouter and vLLM,
 * `status_code` at Groq, `raw_status_code` at Mistral), or the status of its code or type. The code takes precedence:
 * OpenAI's error for an invalid key has the code `invalid_api_key` and the type `invalid_request_error`.
 */
export function statusInBody(value: JsonObject): number | null {
  const source = isJsonObject(value.error) ? value.error : value;
  const numbers = [source.code, source.status, source.status_code, source.raw_status_code].map(numberOf);
  const status = numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  if (status !== undefined) return status;
  const codes = [source.code, source.type].filter((code) => typeof code === 'string');
  return codes.map((code) => statusByCode.get(code)).find((known) => known !== undefined) ?? null;
}

/** Does not convert objects, since that can throw, as for `{"toString":1}`. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/**
 * Accepts `{"error":{"message"}}` (OpenAI), `{"error":"…"}`, `{"message"}` (Mistral, Cohere), `{"detail"}` (FastAPI, and
 * Mistral, which also nests it in `message`), and an array whose first element is one of these.
 */
export function parseProviderError(body: unknown): ProviderError | null {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(value)) return null;
  const source = isJsonObject(value.error) ? value.error : value;
  const issues = readIssues(isJsonObject(value.message) ? value.message.detail : value.detail);
  const message = firstText(
    source.message,
    value.error,
    value.message,
    value.detail,
    issues.map(({ msg }) => msg).join('; '),
  );
  if (message === undefined) return null;
  const code = firstText(source.code, source.type);
  const param = firstText(source.param, issues[0]?.param);
  return {
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
    ...(isModeration(source, message) && { moderated: true }),
  };
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
