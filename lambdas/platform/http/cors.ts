/**
 * Cross-origin requests of browsers, from the origins that the operator allows.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import type { ErrorResponse } from './error-response.ts';
import type { HttpRequest } from './request.ts';

type CorsRequest = Pick<HttpRequest, 'method' | 'headers'>;

export interface Cors {
  /** The headers without which a page cannot read a response, of whatever status; none for other origins. */
  headersFor(request: CorsRequest): Record<string, string>;
  /**
   * The response to a preflight request, which has no API key. Other origins get no header that allows anything. `null` for
   * any other request, or if no origin is allowed.
   */
  preflight(request: CorsRequest): ErrorResponse | null;
}

/** Names that a page may read besides those of https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name. */
export const exposedHeaders = [
  ...['x-request-id', 'request-id', 'x-gateway-request-id', 'x-gateway-provider'],
  ...['x-gateway-provider-request-id', 'x-gateway-ignored-parameters', 'x-gateway-attempts'],
  ...['retry-after', 'retry-after-ms', 'x-should-retry'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ...['anthropic-ratelimit-requests-limit', 'anthropic-ratelimit-requests-remaining'],
  ...['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-tokens-limit'],
  ...['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
].join(', ');

const allowedMethods = 'GET, POST';

/** The longest time that Chromium accepts. */
const maxAgeSeconds = 7200;

/** A list of header names, far longer than that of any SDK. */
const maxRequestedLength = 2000;
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:, ?[\w!#$%&'*+.^`|~-]+)*$/;

export function createCors(allowedOrigins: readonly string[]): Cors {
  const isAllowed = (origin: string | undefined) => origin !== undefined && allowedOrigins.includes(origin);
  const vary: Record<string, string> = allowedOrigins.length === 0 ? {} : { vary: 'origin' };
  return {
    headersFor({ headers: { origin } }) {
      if (origin === undefined || !isAllowed(origin)) return vary;
      return {
        ...vary,
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposedHeaders,
      };
    },
    preflight({ method, headers }) {
      if (method !== 'OPTIONS' || allowedOrigins.length === 0) return null;
      const { origin } = headers;
      const allowance = {
        'access-control-allow-origin': origin ?? '',
        'access-control-allow-methods': allowedMethods,
        ...requestedHeaders(headers['access-control-request-headers']),
        'access-control-max-age': String(maxAgeSeconds),
      };
      return { statusCode: 204, headers: { ...vary, ...(isAllowed(origin) && allowance) }, body: '' };
    },
  };
}

/**
 * Allows all requested headers: the gateway ignores those that it does not know, and SDKs send more of them with each
 * version. The wildcard would not include `authorization`.
 */
function requestedHeaders(names = ''): Record<string, string> {
  const isValid = names.length <= maxRequestedLength && headerNames.test(names);
  return isValid ? { 'access-control-allow-headers': names } : {};
}
