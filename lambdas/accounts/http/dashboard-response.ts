import type { APIGatewayProxyResult } from 'aws-lambda';
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
