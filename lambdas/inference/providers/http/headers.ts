/** Builds the headers of requests to providers, and reads the headers of their responses. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { CatalogEntry } from '../catalog.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import type { ResponseHeaders } from './client.ts';

export interface HeaderRules {
  call: Pick<ProviderCall, 'apiKey' | 'callerHeaders'>;
  /** The allow-list of the caller's headers, with lower-case names. */
  forwarded: readonly string[];
  protocolHeaders?: Readonly<Record<string, string>>;
  apiKeyHeader: CatalogEntry['apiKeyHeader'];
}

/** Servers accept about 8 kB, some of them for all headers together. */
const maxValueLength = 8 * 1024;

/**
 * Forwards only the caller's headers on the allow-list; the caller's API key in particular must not reach the provider.
 * Throws a `GatewayError` (400) that names a header that is too long.
 */
export function outgoingHeaders({
  call,
  forwarded,
  protocolHeaders = {},
  apiKeyHeader,
}: HeaderRules): Record<string, string> {
  const { apiKey, callerHeaders } = call;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // The usage is read from the raw bytes.
    'accept-encoding': 'identity',
    ...protocolHeaders,
  };
  for (const name of forwarded) {
    const value = callerHeaders[name];
    if (value === undefined) continue;
    if (value.length > maxValueLength) {
      throw invalidRequestError(name, `The header ${name} must have at most ${maxValueLength} bytes`);
    }
    if (isValidHeaderValue(value)) headers[name] = value;
  }
  if (apiKey !== null) headers[apiKeyHeader] = apiKeyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey;
  return headers;
}

/** A Lambda event may contain values that are invalid in an HTTP header. They are dropped, since none is essential. */
function isValidHeaderValue(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}

const maxRequestIdLength = 128;

/** Returns the first of the headers with a printable ASCII value, redacted and truncated. */
export function requestIdOf(
  headers: ResponseHeaders,
  names: readonly string[],
  credential: string | null,
): string | null {
  const ids = names.map((name) => headers[name]?.trim() ?? '');
  const id = ids.find((text) => /^[\x20-\x7e]+$/.test(text));
  return id === undefined ? null : redact(id, credential).slice(0, maxRequestIdLength);
}

/** The headers whose names match, redacted and without values that are no valid header. */
export function pickHeaders(
  headers: ResponseHeaders,
  names: RegExp,
  credential: string | null,
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && names.test(name) && isValidHeaderValue(value))
      picked[name] = redact(value, credential);
  }
  return picked;
}

const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns whole seconds or a date, the formats of https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. Rounds up
 * the fractions that some providers send.
 */
export function retryAfterOf(text: string | undefined): string | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return String(Math.ceil(Number(value)));
  return httpDate.test(value) ? value : undefined;
}

/** Returns those of the headers that tell a client when to retry, if they are valid. */
export function retryHeadersOf(headers: ResponseHeaders): Record<string, string> {
  const seconds = retryAfterOf(headers['retry-after']);
  // OpenAI's SDKs prefer it: https://github.com/openai/openai-node/blob/master/src/client.ts
  const milliseconds = plainNumber(headers['retry-after-ms']);
  return {
    ...(seconds !== undefined && { 'retry-after': seconds }),
    ...(milliseconds !== null && { 'retry-after-ms': String(Math.ceil(milliseconds)) }),
  };
}

export function retryAfterMsOf(headers: ResponseHeaders): number | null {
  const milliseconds = plainNumber(headers['retry-after-ms']);
  if (milliseconds !== null) return milliseconds;
  const seconds = plainNumber(headers['retry-after']);
  if (seconds !== null) return seconds * 1000;
  const until = Date.parse(retryAfterOf(headers['retry-after']) ?? '');
  // Relative to the provider's clock.
  const waitMs = until - Date.parse(retryAfterOf(headers.date) ?? '');
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function plainNumber(text = ''): number | null {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : null;
}
