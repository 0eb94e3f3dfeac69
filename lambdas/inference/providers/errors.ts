/** Converts providers' errors into the gateway's errors. */
import type { GatewayError, GatewayErrorDetails } from '#lambdas/platform/errors.ts';
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { StatedError } from '../completion/facts.ts';
import { isContextOverflow } from './context-overflow.ts';
import { type ProviderError, parseProviderError, reportsError } from './error-body.ts';
import { statusInBody } from './error-status.ts';
import type { ResponseHeaders } from './http/client.ts';
import { retryHeadersOf } from './http/headers.ts';
import type { ErrorResponse } from './provider.ts';

/** The request that failed. */
interface FailedRequest {
  provider: string;
  model: string;
  /** The caller's parameter that contains the prompt, for a prompt that is too long. Default: `messages`. */
  promptParam?: string;
}

interface ProviderFailure extends FailedRequest {
  /** The HTTP status, or the equivalent of the provider's error type. */
  status: number;
  error: ProviderError | null;
  /** The headers of the response. */
  headers?: ResponseHeaders;
}

export function readErrorResponse({ body, ...failure }: ErrorResponse & FailedRequest): GatewayError {
  return toGatewayError({ ...failure, error: parseProviderError(parseJson(body.toString('utf8'))) });
}

/** Finds an error in a 2xx response, in one of its stream's events, or in a choice. `eventType` is the event's. */
export function findErrorInBody(
  body: unknown,
  { eventType = '', ...request }: FailedRequest & { eventType?: string },
): GatewayError | null {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(value) || !(eventType === 'error' || reportsError(value))) return null;
  const error = parseProviderError(value);
  const message = error?.message || `The provider ${request.provider} reported an error`;
  return toGatewayError({
    ...request,
    status: statusInBody(value) ?? 500,
    error: { ...error, message },
  });
}

/** Errors caused by the caller keep their 4xx status; those of the gateway and the provider become 5xx. */
export function toGatewayError(failure: ProviderFailure): GatewayError {
  const { provider, model, status, error } = failure;
  if (status >= 300 && status < 400) return redirectError(provider, status);
  const details = {
    ...detailsOf(error, `The provider ${provider} returned status ${status}`),
    headers: retryHeadersOf(failure.headers ?? {}),
  };
  if (error?.moderated && (status === 400 || status === 403)) return moderationError(error);
  if (isWrongKey(failure)) return invalidCredentialError(provider);
  // A 429 limits the tokens per minute, not those of a request.
  if (error !== null && status !== 429 && isContextOverflow(error)) {
    return new StatedError('provider_rejected_request', {
      ...details,
      status: 400,
      providerCode: 'context_length_exceeded',
      param: error.param ?? failure.promptParam ?? 'messages',
    });
  }
  if (isMissingModel(failure)) {
    const reason = error?.message === undefined ? '' : `: ${error.message}`;
    const message = `The provider ${provider} has no model ${model}${reason}`;
    return new StatedError('model_not_found', { message, param: 'model', ...typeOf(error) });
  }
  switch (status) {
    case 400:
    case 413:
    case 422:
      return new StatedError('provider_rejected_request', { ...details, status });
    case 429:
      return new StatedError('rate_limit_exceeded', details);
    case 408:
    case 504:
      return new StatedError('provider_timeout', details);
    case 503:
    case 529:
      return new StatedError('provider_unavailable', details);
    default:
      return new StatedError('provider_error', details);
  }
}

function redirectError(provider: string, status: number): GatewayError {
  return new StatedError('provider_error', {
    message: `The provider ${provider} returned a redirect (status ${status}), which is not followed: the gateway's operator must correct the base URL`,
    isMessageLogged: true,
  });
}

function detailsOf(error: ProviderError | null, fallback: string): GatewayErrorDetails {
  const { message = '', code, type, param } = error ?? {};
  return {
    message: message || fallback,
    isMessageLogged: message === '',
    ...(code !== undefined && { providerCode: code }),
    ...(type !== undefined && { providerType: type }),
    ...(param !== undefined && { param }),
  };
}

/** Removes the end of xAI's message, which names the team, the API key and the model. */
function moderationError(error: ProviderError): GatewayError {
  return new StatedError('provider_rejected_request', {
    message: error.message.replace(/ Team: .*/s, ''),
    providerCode: 'content_filter',
    ...typeOf(error),
  });
}

function typeOf(error: ProviderError | null): Pick<GatewayErrorDetails, 'providerType'> {
  return error?.type === undefined ? {} : { providerType: error.type };
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
  return new StatedError('provider_authentication_failed', { message, isMessageLogged: true });
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
