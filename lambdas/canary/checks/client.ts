/** Calls the gateway as its clients do. */

import {
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';

/** The message tells what was expected and what the gateway did instead. It contains no key and no text of a response. */
export class CheckError extends Error {}

interface Call {
  url: string;
  /** Default: the client's key. */
  apiKey?: string;
  /** Without one, the method is GET. */
  body?: object;
  /** Default: 10 seconds. */
  timeoutMs?: number;
}

export interface GatewayResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Empty if the body is not a JSON object. */
  json: JsonObject;
  /** When the parts of the text arrived. */
  arrivals: readonly Arrival[];
}

interface Arrival {
  /** Characters of the text that had arrived. */
  length: number;
  /** Milliseconds since 1970. */
  atMs: number;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  wait(ms: number): Promise<void>;
}

export interface Client {
  /** Throws a `CheckError` without a complete response in time. */
  call(request: Call): Promise<GatewayResponse>;
  /** Until the end of all checks. */
  remainingMs(): number;
  wait(ms: number): Promise<void>;
}

const defaultTimeoutMs = 10_000;

export function createClient({
  apiKey: ownApiKey,
  maxDurationMs,
  clock: { now, wait },
}: {
  apiKey: string;
  maxDurationMs: number;
  clock: Clock;
}): Client {
  const endMs = now() + maxDurationMs;
  const remainingMs = () => endMs - now();
  return {
    remainingMs,
    wait,
    async call({ url, apiKey = ownApiKey, body, timeoutMs = defaultTimeoutMs }) {
      const waitMs = Math.min(timeoutMs, remainingMs());
      if (waitMs <= 0) throw new CheckError(`All checks together took longer than ${maxDurationMs / 1000} s`);
      const signal = AbortSignal.timeout(waitMs);
      try {
        const response = await fetch(url, { ...requestOf(apiKey, body), signal });
        const { text, arrivals } = await readText(response, now);
        const { status, headers } = response;
        return { status, headers, text, json: parseJsonObject(text) ?? {}, arrivals };
      } catch (error) {
        if (signal.aborted) {
          throw new CheckError(`No complete response from ${url} within ${Math.ceil(waitMs / 1000)} s`);
        }
        if (!(error instanceof TypeError)) throw error;
        throw new CheckError(`No complete response from ${url}: ${causeOf(error)}`);
      }
    },
  };
}

async function readText(response: Response, now: () => number) {
  const decoder = new TextDecoder();
  const arrivals: Arrival[] = [];
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    arrivals.push({ length: text.length, atMs: now() });
  }
  return { text: text + decoder.decode(), arrivals };
}

function requestOf(apiKey: string, body: object | undefined): RequestInit {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    // Lambda freezes the canary between two runs, and a kept connection may be closed meanwhile.
    connection: 'close',
  };
  // The key is only for the gateway.
  const options = { redirect: 'error' } as const;
  if (body === undefined) return { ...options, headers };
  return {
    ...options,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Such as `ECONNREFUSED`. */
function causeOf({ cause }: Error): string {
  const code = stringOrEmpty(objectOrEmpty(cause).code);
  return code === '' ? 'the connection failed, or the gateway redirects to another URL' : code;
}

/** Such as `502 provider_error`, and the id by which the log has the request. */
export function describeResponse({
  status,
  headers,
  json,
}: Pick<GatewayResponse, 'status' | 'headers' | 'json'>): string {
  // Without the first one, Lambda or API Gateway responded themselves.
  const id = headers.get('x-gateway-request-id') ?? headers.get('x-amzn-requestid') ?? '';
  return `${status} ${errorCodeOf(json) ?? 'without an error code'}${isUuid(id) ? ` (request ${id})` : ''}`;
}

/** `null` if the body has no error with a code in the usual form. */
export function errorCodeOf(body: JsonObject): string | null {
  const code = stringOrEmpty(objectOrEmpty(body.error).code);
  return /^[a-z0-9_:.-]{1,64}$/.test(code) ? code : null;
}

export interface Endpoint {
  name: 'rest_api' | 'function_url';
  /** Without a trailing slash. */
  baseUrl: string;
}

export function chatUrl({ baseUrl }: Endpoint): string {
  return `${baseUrl}/ai/chat/completions`;
}

export function streamTestUrl({ baseUrl }: Endpoint): string {
  return `${baseUrl}/ai/stream-test`;
}
