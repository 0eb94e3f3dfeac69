/** What leaves with a request beside its body. Everything else that the caller sent, its key above all, stays here. */
import { type GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import type { CatalogEntry } from '../catalog.ts';
import type { ProviderCall } from '../provider.ts';
import type { ReplyHeaders } from './client.ts';
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

// The two headers of a provider's answer that go on to the caller, as far as they are what they should be.

const longestRequestId = 128;

/** The first of the headers that is there, cut short; `null` for one that could not be shown in a header or a log. */
export function requestIdOf(headers: ReplyHeaders, names: readonly string[]): string | null {
  const ids = names.map((name) => headers[name]?.trim() ?? '');
  const id = ids.find((text) => /^[\x20-\x7e]+$/.test(text));
  return id?.slice(0, longestRequestId) ?? null;
}

const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Whole seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. Some providers write fractions. */
export function retryAfterOf(text: string | undefined): string | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return String(Math.ceil(Number(value)));
  return httpDate.test(value) ? value : undefined;
}

// How long a provider that refused a request asks to wait before the same request may come again.

export interface RefusedReply {
  status: number;
  headers: ReplyHeaders;
  /** What was made of its body. */
  error: GatewayError;
}

/** `null` when it does not say so, or when there is no use in asking again: no wait fills an empty account. */
export function retryWaitMs({ status, headers, error }: RefusedReply): number | null {
  // Not 529: who is overloaded is not helped by more.
  if (status !== 429 && status !== 503) return null;
  if (/quota|billing|balance|credit/i.test(error.providerCode ?? '')) return null;
  return plainNumber(headers['retry-after-ms']) ?? secondsOrDate(headers);
}

function secondsOrDate(headers: ReplyHeaders): number | null {
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
