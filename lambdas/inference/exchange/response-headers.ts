/** The headers of every response to a request of an operation, besides its content type. */
import { requestIdHeaders } from '#lambdas/platform/http/request-id-header.ts';
import type { Exchange } from './exchange.ts';

interface HeaderSource
  extends Pick<
    Exchange,
    | 'id'
    | 'provider'
    | 'routed'
    | 'ignoredParameters'
    | 'providerRequestId'
    | 'providerHeaders'
    | 'rateLimitHeaders'
  > {
  operation: Pick<Exchange['operation'], 'requestIdHeader'>;
}

export function responseHeaders(exchange: Readonly<HeaderSource>): Record<string, string> {
  const { id, operation, provider, routed, ignoredParameters, providerRequestId } = exchange;
  // The key's own limits are what its caller has to keep to.
  const headers = Object.assign(
    requestIdHeaders(id, operation.requestIdHeader),
    exchange.providerHeaders,
    exchange.rateLimitHeaders,
  );
  if (provider !== null) headers['x-gateway-provider'] = provider.name;
  if (ignoredParameters.length > 0) {
    headers['x-gateway-ignored-parameters'] = ignoredParametersHeader(ignoredParameters);
  }
  if (providerRequestId !== null) headers['x-gateway-provider-request-id'] = providerRequestId;
  if (routed?.attempt) headers['x-gateway-attempts'] = String(routed.attempt);
  return headers;
}

const maxNames = 40;
const maxNameLength = 64;

export function ignoredParametersHeader(names: readonly string[]): string {
  const listed = names.slice(0, maxNames).map(encodeName);
  return (names.length > maxNames ? [...listed, '...'] : listed).join(', ');
}

/** Escapes commas and non-ASCII characters, which names that come from the caller may contain. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).slice(0, maxNameLength);
}
