import type { APIGatewayProxyResult } from 'aws-lambda';
import { createProxyPipeline, type ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { type DashboardRequest, readDashboardRequest } from './request.ts';

/** `Body` is the type of the JSON in the body, and `null` without one. */
export interface DashboardResponse<Body = unknown> {
  status: number;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
  body?: string;
  /** Never set: it is there for the compiler alone. */
  readonly bodyType?: Body;
}

/** The type that the bodies of a function by route, such as `SignInResponses`, have for a route. */
export type BodyOf<Responses, Name extends string> = Name extends keyof Responses ? Responses[Name] : never;

/** The type of the body is the one that the handler states, so the compiler refuses other fields in a literal. */
export function jsonResponse<Body>(body: NoInfer<Body>): DashboardResponse<Body> {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function noContent(...cookies: string[]): DashboardResponse<null> {
  return { status: 204, cookies };
}

export function redirect(location: string, ...cookies: string[]): DashboardResponse<null> {
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
