/** A provider's error, as the caller is told of it. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { holdsError, readSaidError, type SaidError, statusInside } from './error-body.ts';
import { retryAfterOf } from './http/headers.ts';
import type { ErrorReply } from './provider.ts';

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

/** What providers call a model that they do not have. */
const missingModelCodes = ['model_not_found', 'invalid_model', 'model_not_available', 'DeploymentNotFound'];
const missingModelMessage =
  /(?<=\bmodel\W{1,4}(\S{1,256}\s{1,4})?)(does not exist|not exist|not found)|\bnot a valid model\b|\binvalid model(:| name\b| id\b|$)/i;

/**
 * What a 400 says of a wrong key: xAI's quotes both ends of it (https://github.com/openai/codex/issues/1352), and
 * Google answers so too.
 */
const wrongKeyMessage = /^(incorrect|invalid) api key\b|^api key (not valid|not found|expired)\b/i;

/** Reads an error reply in any of the forms that OpenAI-format providers use. */
export function errorFromReply({
  provider,
  model,
  status,
  headers,
  body,
}: ErrorReply & { provider: string; model: string }): GatewayError {
  const said = readSaidError(parseJson(body.toString('utf8')));
  return errorOf({ provider, model, status, said, retryAfter: headers['retry-after'] });
}

/** The caller's own mistakes keep their status; ours and the provider's become 5xx. */
export function errorOf({ provider, model, status, said, retryAfter }: ProviderFailure): GatewayError {
  if (status >= 300 && status < 400) return redirected(provider, status);
  const wait = retryAfterOf(retryAfter);
  const details = {
    ...detailsOf(said, `The provider ${provider} answered with status ${status}`),
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  };
  if (said?.moderated && (status === 400 || status === 403)) return refusedContent(said);
  if (isWrongKey(status, said)) return refusedCredentials(provider);
  if (isMissingModel({ status, model, said })) {
    const reason = said?.message === undefined ? '' : `: ${said.message}`;
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

/** An error inside an answer with a status of 2xx, or inside its stream; `null` when `value` holds none. */
export function errorInsideAnswer(
  value: JsonObject,
  { provider, model }: { provider: string; model: string },
): GatewayError | null {
  if (!holdsError(value)) return null;
  const status = statusInside(value) ?? 500;
  const said = readSaidError(value) ?? { message: `The provider ${provider} reported an error` };
  return errorOf({ provider, model, status, said });
}

/** A credential goes to the address that the operator named, or nowhere. */
function redirected(provider: string, status: number): GatewayError {
  return new GatewayError('provider_error', {
    message: `The provider ${provider} answered with a redirect (status ${status}), which is not followed: its operator corrects its base URL`,
  });
}

/** xAI goes on to name the team, the API key and the model. */
function refusedContent({ message }: SaidError): GatewayError {
  return new GatewayError('provider_rejected_request', {
    message: message.replace(/ Team: .*/s, ''),
    providerCode: 'content_filter',
  });
}

function isWrongKey(status: number, said: SaidError | null): boolean {
  if (status === 401 || status === 403) return true;
  return status === 400 && said !== null && wrongKeyMessage.test(said.message);
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
    message: message || otherwise,
    ...(code !== undefined && { providerCode: code }),
    ...(param !== undefined && { param }),
  };
}
