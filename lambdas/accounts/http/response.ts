import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { type DashboardRequest, readDashboardRequest } from './request.ts';

export interface DashboardResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
  body?: string;
}

/** The type of the body is one of those that the page shares. */
export function jsonResponse<Body extends object>(body: Body): DashboardResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function noContent(...cookies: string[]): DashboardResponse {
  return { status: 204, cookies };
}

export function redirect(location: string, ...cookies: string[]): DashboardResponse {
  return { status: 302, headers: { location }, cookies };
}

export function toProxyResult({
  status,
  headers,
  cookies = [],
  body = '',
}: DashboardResponse): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: { ...headers, 'cache-control': 'no-store' },
    // A response with two cookies has the header twice.
    ...(cookies.length > 0 && { multiValueHeaders: { 'set-cookie': [...cookies] } }),
    body,
  };
}

export type ProxyHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Adapts a function of the dashboard to API Gateway, and turns errors into responses. */
export function createProxyHandler(
  respond: (request: DashboardRequest) => Promise<DashboardResponse>,
): ProxyHandler {
  return async (event) => {
    try {
      return toProxyResult(await respond(readDashboardRequest(event)));
    } catch (error) {
      const { statusCode: status, ...response } = renderError(toGatewayError(error));
      return toProxyResult({ status, ...response });
    }
  };
}
