import type { APIGatewayProxyResult } from 'aws-lambda';
import { createProxyPipeline, type ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
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

/** Adapts a function of the dashboard to API Gateway. */
export function createProxyHandler(
  respond: (request: DashboardRequest) => Promise<DashboardResponse>,
): ProxyHandler {
  return createProxyPipeline({
    headersFor: () => ({ 'cache-control': 'no-store' }),
    timeoutEarlyMs: 0,
  }).handler(async (event) => toProxyResult(await respond(readDashboardRequest(event))));
}

function toProxyResult({
  status,
  headers,
  cookies = [],
  body = '',
}: DashboardResponse): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers,
    // A response with two cookies has the header twice.
    ...(cookies.length > 0 && { multiValueHeaders: { 'set-cookie': [...cookies] } }),
    body,
  };
}
