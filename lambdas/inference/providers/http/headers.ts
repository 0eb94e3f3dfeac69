/** The headers of requests to providers, and those of their responses that the gateway understands. */
import { invalidRequest } from '#lambdas/platform/errors.ts';
import type { CatalogEntry } from '../catalog.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import type { ResponseHeaders } from './client.ts';

export interface HeaderRules {
  call: Pick<ProviderCall, 'apiKey' | 'callerHeaders'>;
  /** The caller's headers that may go on, in lower case. */
  forwarded: readonly string[];
  /** The protocol's own. */
  own?: Readonly<Record<string, string>>;
  apiKeyHeader: CatalogEntry['apiKeyHeader'];
}

/** Servers take about 8 kB, some of them for all of the headers. */
const maxValueLength = 8 * 1024;

/** Everything else that the caller sent, its key above all, stays here. Throws a `GatewayError` (400) that names a header of the caller's that is too long to go on. */
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
    if (value.length > maxValueLength) {
      throw invalidRequest(name, `The header ${name} must have at most ${maxValueLength} bytes`);
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

const maxRequestIdLength = 128;

/**
 * The provider's id of the request: the first of the headers that is there, without the credential and cut short; `null`
 * for one that could not be shown in a header or a log.
 */
export function requestIdOf(
  headers: ResponseHeaders,
  names: readonly string[],
  credential: string | null,
): string | null {
  const ids = names.map((name) => headers[name]?.trim() ?? '');
  const id = ids.find((text) => /^[\x20-\x7e]+$/.test(text));
  return id === undefined ? null : redact(id, credential).slice(0, maxRequestIdLength);
}

const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Whole seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. Some providers write fractions. */
export function retryAfterOf(text: string | undefined): string | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return String(Math.ceil(Number(value)));
  return httpDate.test(value) ? value : undefined;
}

/** How long the provider asks to wait before the same request may come again; `null` when it does not say so. */
export function retryAfterMsOf(headers: ResponseHeaders): number | null {
  const milliseconds = plainNumber(headers['retry-after-ms']);
  if (milliseconds !== null) return milliseconds;
  const seconds = plainNumber(headers['retry-after']);
  if (seconds !== null) return seconds * 1000;
  const until = Date.parse(retryAfterOf(headers['retry-after']) ?? '');
  // By the provider's own clock.
  const waitMs = until - Date.parse(retryAfterOf(headers.date) ?? '');
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function plainNumber(text = ''): number | null {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : null;
}
