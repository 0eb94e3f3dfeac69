/** Requests below `/dashboard/api/`, which API Gateway sends to one proxy resource. */

import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type HttpRequest, readBodyText } from '#lambdas/platform/http/request.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { readCookies } from './cookies.ts';

export interface DashboardRequest extends HttpRequest {
  query: RawQueryParameters;
  cookies: ReadonlyMap<string, string>;
}

export function readDashboardRequest(event: APIGatewayProxyEvent): DashboardRequest {
  return {
    ...readHttpRequest(event),
    path: event.path,
    query: event.multiValueQueryStringParameters ?? {},
    cookies: readCookies(event),
  };
}

const maxBodyBytes = 8192;

/** Throws a `GatewayError` (400, 413 or 415). */
export async function readJsonBody(request: HttpRequest, maxBytes: number): Promise<JsonObject> {
  const text = await readBodyText(request);
  if (Buffer.byteLength(text) > maxBytes) {
    const message = `The request body must have at most ${maxBytes} bytes`;
    throw new GatewayError('request_too_large', { param: 'body', message });
  }
  const body = parseJsonObject(text);
  if (body === null) throw invalidRequestError('body', 'The request body must be a JSON object');
  return body;
}

/** Throws a `GatewayError` (400, 413 or 415) that names the field. */
export async function readBody<Schema extends z.ZodMiniType>(
  request: HttpRequest,
  schema: Schema,
  maxBytes = maxBodyBytes,
): Promise<z.output<Schema>> {
  const result = schema.safeParse(await readJsonBody(request, maxBytes));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [field = 'body'] = issue.keys;
    throw invalidRequestError(field, `${field} is not a field of this request`);
  }
  // The innermost name: the positions in lists are numbers.
  const field = issue?.path.findLast((part) => typeof part === 'string') ?? 'body';
  throw invalidRequestError(field, issue?.message ?? 'The request body is not valid');
}

/**
 * Refuses calls that another site may have caused. The session cookie is SameSite=Strict; these checks also hold for
 * other hosts of the same site. Another origin cannot set the header `x-dashboard` without permission (CORS), which the
 * API never gives. Throws a `GatewayError` (403) that names the header.
 */
export function assertSameOrigin({ headers }: HttpRequest, dashboardOrigin: string): void {
  if (headers['x-dashboard'] !== '1') {
    throw forbiddenError('x-dashboard', 'Calls of the dashboard need the header x-dashboard: 1');
  }
  const { 'sec-fetch-site': site = 'same-origin', origin = dashboardOrigin } = headers;
  if (site !== 'same-origin')
    throw forbiddenError('sec-fetch-site', 'Calls from other sites are not allowed');
  if (origin !== dashboardOrigin)
    throw forbiddenError('origin', `Calls are only allowed from ${dashboardOrigin}`);
}

function forbiddenError(param: string, message: string): GatewayError {
  return new GatewayError('forbidden', { param, message });
}
