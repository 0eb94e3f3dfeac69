/** The two event shapes that a request can come in, as one. */
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { invalidRequest } from '../domain/gateway-error.ts';

export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2;

export interface HttpRequest {
  method: string;
  /** The route behind API Gateway, the path behind a Function URL: without stage or base path. */
  path: string;
  /** Names in lower case; values of a repeated header are joined by commas. */
  headers: Readonly<Record<string, string | undefined>>;
}

export function readHttpRequest(event: HttpEvent): HttpRequest {
  if ('httpMethod' in event) {
    return { method: event.httpMethod, path: event.resource, headers: joinHeaders(event) };
  }
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    headers: event.headers,
  };
}

/** Throws a `GatewayError` (400) when the body is not text. */
export function readBodyText(event: HttpEvent): string {
  const body = event.body ?? '';
  if (!event.isBase64Encoded) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'base64'));
  } catch (error) {
    if (error instanceof TypeError) throw invalidRequest('body', 'The request body must be JSON in UTF-8');
    throw error;
  }
}

function joinHeaders({
  headers,
  multiValueHeaders,
}: APIGatewayProxyEvent): Record<string, string | undefined> {
  const joined: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers ?? {})) joined[name.toLowerCase()] = value;
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    if (values !== undefined && values.length > 0) joined[name.toLowerCase()] = values.join(', ');
  }
  return joined;
}
