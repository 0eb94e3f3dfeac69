/** Calls of the dashboard's functions as API Gateway makes them. */
import type { Context } from 'aws-lambda';
import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { proxyEvent } from '../http/proxy-event.ts';
import { assertStatedType } from './response-types.ts';

export interface ApiRequest {
  method: string;
  /** Relative to `/dashboard/api`. */
  path: string;
  headers?: Record<string, string | null>;
  cookies?: Iterable<[name: string, value: string]>;
  query?: Record<string, string[]>;
  body?: unknown;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, unknown>;
  setCookies: unknown[];
  text: string;
  /** The parsed body; `null` if it is not JSON. */
  body: unknown;
}

/** Throws an `Error` for a response with a field that the type of its route lacks, or without one that it has. */
export async function sendApiRequest(handle: ProxyHandler, request: ApiRequest): Promise<ApiResponse> {
  const response = await sendUncheckedRequest(handle, request);
  assertStatedType(request.method, request.path, response);
  return response;
}

/** For a function whose routes are not the dashboard's. */
export async function sendUncheckedRequest(
  handle: ProxyHandler,
  { method, path, headers, cookies = [], query, body }: ApiRequest,
): Promise<ApiResponse> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const all = { ...(cookie !== '' && { Cookie: cookie }), 'User-Agent': 'Example/1.0', ...headers };
  const sent = Object.entries(all).filter(([, value]) => value !== null);
  const event = proxyEvent({
    httpMethod: method,
    resource: '/dashboard/api/{proxy+}',
    path: `/dashboard/api${path}`,
    multiValueHeaders: Object.fromEntries(sent.map(([name, value]) => [name, [String(value)]])),
    multiValueQueryStringParameters: query ?? null,
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
  });
  const result = await handle(event, {} as Context);
  const { statusCode: status, headers: responseHeaders = {}, multiValueHeaders, body: text } = result;
  const isJson = responseHeaders['content-type'] === 'application/json';
  return {
    status,
    headers: responseHeaders,
    setCookies: multiValueHeaders?.['set-cookie'] ?? [],
    text,
    body: isJson ? JSON.parse(text) : null,
  };
}
