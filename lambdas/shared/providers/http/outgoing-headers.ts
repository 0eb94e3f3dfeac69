/** What leaves with a request beside its body. Everything else that the caller sent, its key above all, stays here. */
import { invalidRequest } from '../../domain/gateway-error.ts';
import type { CatalogEntry } from '../catalog.ts';
import type { ProviderCall } from '../provider.ts';

export interface HeaderRules {
  call: Pick<ProviderCall, 'apiKey' | 'callerHeaders'>;
  /** The caller's headers that may go on, in lower case. */
  forwarded: readonly string[];
  /** The protocol's own. */
  own?: Readonly<Record<string, string>>;
  apiKeyHeader: CatalogEntry['apiKeyHeader'];
}

/** Servers take about 8 kB, some of them for all of the headers. */
const longestValue = 8 * 1024;

/** Throws a `GatewayError` (400) that names a header of the caller's that is too long to go on. */
export function outgoingHeaders({
  call,
  forwarded,
  own = {},
  apiKeyHeader,
}: HeaderRules): Record<string, string> {
  const { apiKey, callerHeaders } = call;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // Usage is read from the bytes as they pass.
    'accept-encoding': 'identity',
    ...own,
  };
  for (const name of forwarded) {
    const value = callerHeaders[name];
    if (value === undefined) continue;
    if (value.length > longestValue) {
      throw invalidRequest(name, `The header ${name} must have at most ${longestValue} bytes`);
    }
    if (canBeSent(value)) headers[name] = value;
  }
  if (apiKey !== null) headers[apiKeyHeader] = apiKeyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey;
  return headers;
}

/** A function's event may hold what no HTTP header can: it is left out, since the request can be answered without. */
function canBeSent(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}
