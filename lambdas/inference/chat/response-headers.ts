/** The gateway's own headers of every response to a chat request. */
import type { Exchange } from './exchange.ts';

type Known = Pick<Exchange, 'id' | 'provider' | 'ignoredParameters' | 'providerRequestId'>;

export function responseHeaders(exchange: Readonly<Known>): Record<string, string> {
  const { id, provider, ignoredParameters, providerRequestId } = exchange;
  const headers: Record<string, string> = { 'x-gateway-request-id': id };
  if (provider !== null) headers['x-gateway-provider'] = provider.name;
  if (ignoredParameters.length > 0) {
    headers['x-gateway-ignored-parameters'] = ignoredParametersHeader(ignoredParameters);
  }
  if (providerRequestId !== null) headers['x-gateway-provider-request-id'] = providerRequestId;
  return headers;
}

const maxNames = 40;
const maxNameLength = 64;

/** Some of the names are the caller's own, of any characters. */
export function ignoredParametersHeader(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(encodeName);
  return (names.length > maxNames ? [...shown, '...'] : shown).join(', ');
}

/** A usual name stays as it is. A comma would part two names, and a header is ASCII. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).slice(0, maxNameLength);
}
