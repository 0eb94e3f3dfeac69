/** A provider's error, as the caller is told of it. */
import { GatewayError, type GatewayErrorDetails } from '../domain/gateway-error.ts';
import { isJsonObject, type JsonObject, parseJson } from '../domain/json.ts';
import type { ErrorReply } from './http/http-protocol.ts';

/** What a provider said of a request that failed, whatever its own form. */
export interface ProviderFailure {
  provider: string;
  model: string;
  /** The HTTP status, or the one that stands for the provider's own kind of error. */
  status: number;
  said: SaidError | null;
  /** Seconds, or an HTTP date, as in the header of that name. */
  retryAfter?: string | undefined;
}

export interface SaidError {
  message: string;
  code?: string;
  param?: string;
}

const longestMessage = 2000;

/** What providers call a model that they do not have. */
const missingModelCodes = ['model_not_found', 'invalid_model', 'model_not_available'];
const missingModelMessage =
  /\bmodel\W+(\S+\s+)?(does not exist|not exist|not found)|\bnot a valid model\b|\binvalid model(:| name\b| id\b|$)/i;

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

/** Reads an error reply in any of the forms that OpenAI-format providers use. */
export function errorFromReply({
  provider,
  model,
  status,
  headers,
  body,
}: ErrorReply & { provider: string; model: string }): GatewayError {
  const said = readError(parseJson(body.toString('utf8')));
  return errorOf({ provider, model, status, said, retryAfter: headers['retry-after'] });
}

/** The caller's own mistakes keep their status; ours and the provider's become 5xx. */
export function errorOf({ provider, model, status, said, retryAfter }: ProviderFailure): GatewayError {
  const details = {
    ...detailsOf(said, `The provider ${provider} answered with status ${status}`),
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  };
  if (status === 401 || status === 403) return refusedCredentials(provider);
  if (isMissingModel({ status, model, said })) {
    const reason = said?.message === undefined ? '' : `: ${said.message}`;
    const message = `The provider ${provider} has no model ${model}${reason}`.slice(0, longestMessage);
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

/** An error inside an answer with a status of 2xx, or inside its stream; `null` when `value` holds none. */
export function errorInsideAnswer(
  value: JsonObject,
  { provider, model }: { provider: string; model: string },
): GatewayError | null {
  const isError =
    isJsonObject(value.error) || firstText(value.error) !== undefined || value.object === 'error';
  if (!isError) return null;
  const status = statusInside(value) ?? 500;
  const said = readError(value) ?? { message: `The provider ${provider} reported an error` };
  return errorOf({ provider, model, status, said });
}

/**
 * The HTTP status that the error would have had outside: as a number (OpenRouter and vLLM say `code`, Groq
 * `status_code`), or by the name of its kind. The code is asked before the type: OpenAI's for a wrong key is
 * `invalid_api_key`, of type `invalid_request_error`.
 */
function statusInside(value: JsonObject): number | null {
  const source = isJsonObject(value.error) ? value.error : value;
  const numbers = [source.code, source.status, source.status_code].map(Number);
  const status = numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
  if (status !== undefined) return status;
  const kinds = [source.code, source.type].filter((kind) => typeof kind === 'string');
  return kinds.map((kind) => statusOfKind.get(kind)).find((known) => known !== undefined) ?? null;
}

function refusedCredentials(provider: string): GatewayError {
  // The provider's message may quote a part of the credential.
  const message = `The provider ${provider} refused the gateway's credentials; its operator has to renew them`;
  return new GatewayError('provider_authentication_failed', { message });
}

/** A 404 may also be of a wrong base URL, and a 400 speak of models in passing: the model itself has to be meant. */
function isMissingModel({
  status,
  model,
  said,
}: {
  status: number;
  model: string;
  said: SaidError | null;
}): boolean {
  if (said === null || (status !== 404 && status !== 400)) return false;
  if (missingModelCodes.includes(said.code ?? '')) return true;
  if (said.param !== undefined && said.param !== 'model') return false;
  return missingModelMessage.test(said.message) || (status === 404 && said.message.includes(model));
}

function detailsOf(said: SaidError | null, otherwise: string): GatewayErrorDetails {
  if (said === null) return { message: otherwise };
  const { message, code, param } = said;
  return {
    message: message.slice(0, longestMessage),
    ...(code !== undefined && { providerCode: code.slice(0, 100) }),
    ...(param !== undefined && { param: param.slice(0, 100) }),
  };
}

/**
 * The forms in use: `{"error":{"message"}}` (OpenAI), `{"error":"…"}`, `{"message"}` (Mistral, Cohere),
 * `{"detail"}` (FastAPI), and any of them in a list.
 */
function readError(value: unknown): SaidError | null {
  if (Array.isArray(value)) return readError(value[0]);
  if (!isJsonObject(value)) return null;
  const source = isJsonObject(value.error) ? value.error : value;
  const message = firstText(
    source.message,
    value.error,
    value.message,
    value.detail,
    detailMessages(value.detail),
  );
  if (message === undefined) return null;
  const code = firstText(source.code, source.type);
  const param = firstText(source.param);
  return { message, ...(code !== undefined && { code }), ...(param !== undefined && { param }) };
}

function detailMessages(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const messages = detail.flatMap((item) =>
    isJsonObject(item) && typeof item.msg === 'string' ? [item.msg] : [],
  );
  return messages.join('; ');
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
