/** Requests below `/dashboard/api/`, which API Gateway sends to one proxy resource. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
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
