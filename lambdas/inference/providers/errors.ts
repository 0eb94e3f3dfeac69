/** Turns a provider's error, in any of the forms that providers use, into the gateway's. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson, textOf } from '#lambdas/platform/json/json.ts';
import { retryAfterOf } from './http/headers.ts';
import type { ErrorResponse } from './provider.ts';

/** A failed request, as the provider's protocol describes it. */
export interface ProviderFailure {
  provider: string;
  model: string;
  /** The HTTP status, or the one that corresponds to the provider's own kind of error. */
  status: number;
  /** `null` where the response describes no error. */
  error: ProviderError | null;
  /** Seconds or an HTTP date, as in the header of that name. */
  retryAfter?: string | undefined;
}

/** The error that a provider's response describes. */
export interface ProviderError {
  message: string;
  code?: string;
  param?: string;
  /** The provider refused the caller's content, although the status is one for missing permission. */
  moderated?: boolean;
}

/** Reads an error response in any of the forms that OpenAI-format providers use. */
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

/** An error in a response with status 2xx, or in its stream; `null` when `value` holds none. */
export function findErrorInBody(
  value: JsonObject,
  { provider, model }: { provider: string; model: string },
): GatewayError | null {
  const holdsError =
    isJsonObject(value.error) || firstText(value.error) !== undefined || value.object === 'error';
  if (!holdsError) return null;
  const error = parseProviderError(value) ?? { message: `The provider ${provider} reported an error` };
  return toGatewayError({ provider, model, status: statusInBody(value) ?? 500, error });
}

/** The caller's own mistakes keep their status; the gateway's and the provider's become 5xx. */
export function toGatewayError(failure: ProviderFailure): GatewayError {
  const { provider, model, status, error } = failure;
  if (status >= 300 && status < 400) return redirected(provider, status);
  const wait = retryAfterOf(failure.retryAfter);
  const details = {
    ...detailsOf(error, `The provider ${provider} answered with status ${status}`),
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  };
  if (error?.moderated && (status === 400 || status === 403)) return refusedContent(error);
  if (isWrongKey(failure)) return refusedCredentials(provider);
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

/** Redirects are not followed, since the credential must go to no address but the one that the operator named. */
function redirected(provider: string, status: number): GatewayError {
  return new GatewayError('provider_error', {
    message: `The provider ${provider} answered with a redirect (status ${status}), which is not followed: its operator corrects its base URL`,
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

/** xAI's message goes on to name the team, the API key and the model. */
function refusedContent({ message }: ProviderError): GatewayError {
  return new GatewayError('provider_rejected_request', {
    message: message.replace(/ Team: .*/s, ''),
    providerCode: 'content_filter',
  });
}

/**
 * A wrong key can be a 400: xAI's message then quotes both ends of it (https://github.com/openai/codex/issues/1352),
 * and Google responds so too.
 */
const wrongKeyMessage = /^(incorrect|invalid) api key\b|^api key (not valid|not found|expired)\b/i;

function isWrongKey({ status, error }: ProviderFailure): boolean {
  if (status === 401 || status === 403) return true;
  return status === 400 && error !== null && wrongKeyMessage.test(error.message);
}

/** Leaves out the provider's message, which may quote a part of the credential. */
function refusedCredentials(provider: string): GatewayError {
  const message = `The provider ${provider} refused the gateway's credentials; its operator has to renew them`;
  return new GatewayError('provider_authentication_failed', { message });
}

const missingModelCodes = ['model_not_found', 'invalid_model', 'model_not_available', 'DeploymentNotFound'];
const missingModelMessage =
  /(?<=\bmodel\W{1,4}(\S{1,256}\s{1,4})?)(does not exist|not exist|not found)|\bnot a valid model\b|\binvalid model(:| name\b| id\b|$)/i;

/** A 404 can also mean a wrong base URL, and a 400 can mention models in passing: the error must be about the model. */
function isMissingModel({ status, model, error }: ProviderFailure): boolean {
  if (error === null || (status !== 404 && status !== 400)) return false;
  if (missingModelCodes.includes(error.code ?? '')) return true;
  if (error.param !== undefined && error.param !== 'model') return false;
  return missingModelMessage.test(error.message) || (status === 404 && error.message.includes(model));
}

/**
 * The HTTP status of each kind of error, by `code` or `type`. Anthropic's: https://docs.claude.com/en/api/errors;
 * OpenAI's: https://platform.openai.com/docs/guides/error-codes
 */
const statusByKind: ReadonlyMap<string, number> = new Map([
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
 * The HTTP status that the error would have had as a response of its own: a number (`code` at OpenRouter and vLLM,
 * `status_code` at Groq, `raw_status_code` at Mistral), or that of its kind. The code takes precedence over the type:
 * OpenAI's error for a wrong key has the code `invalid_api_key` and the type `invalid_request_error`.
 */
export function statusInBody(value: JsonObject): number | null {
  const source = isJsonObject(value.error) ? value.error : value;
  const numbers = [source.code, source.status, source.status_code, source.raw_status_code].map(numberOf);
  const status = numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  if (status !== undefined) return status;
  const kinds = [source.code, source.type].filter((kind) => typeof kind === 'string');
  return kinds.map((kind) => statusByKind.get(kind)).find((known) => known !== undefined) ?? null;
}

/** Converting an object can throw: `{"toString":1}` does. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/**
 * Accepts `{"error":{"message"}}` (OpenAI), `{"error":"…"}`, `{"message"}` (Mistral, Cohere), `{"detail"}` (FastAPI, and
 * Mistral, which also puts it into `message`), and a list whose first element is one of these.
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
 * xAI's message is in https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267, OpenRouter reports its findings:
 * https://openrouter.ai/docs/api/reference/errors-and-debugging#moderation-errors
 */
function isModeration({ metadata }: JsonObject, message: string): boolean {
  const hasFindings =
    isJsonObject(metadata) && (Array.isArray(metadata.reasons) || 'flagged_input' in metadata);
  return hasFindings || /^content violates usage guidelines\b/i.test(message);
}

/** Reads Pydantic's list of validation errors. */
function readIssues(detail: unknown): { msg: string; param: string }[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((item) =>
    isJsonObject(item) && typeof item.msg === 'string' ? [{ msg: item.msg, param: paramAt(item.loc) }] : [],
  );
}

const roles = ['assistant', 'system', 'tool', 'user'];

/** Writes `["body", "messages", 0, "user", "name"]` as `messages[0].name`: the role only selects the message's schema. */
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
