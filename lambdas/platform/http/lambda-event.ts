/** The two event shapes in which Lambda is handed an HTTP request: API Gateway's proxy event and a Function URL's. */
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { maxRequestBytes } from './payload-limits.ts';
import { bodyTooLarge, decodeBody, type HttpRequest } from './request.ts';

export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2;

export function readHttpRequest(event: HttpEvent): HttpRequest {
  const readBody = () => bodyOf(event);
  if ('httpMethod' in event) {
    return { method: event.httpMethod, path: event.resource, headers: joinHeaders(event), readBody };
  }
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    headers: event.headers,
    readBody,
  };
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): string {
  if (body === undefined || body === null) return '';
  if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > maxRequestBytes) throw bodyTooLarge();
  return isBase64Encoded ? decodeBody(Buffer.from(body, 'base64')) : body;
}

/** The result has no prototype, so that a header called `constructor` is there only if it was sent. */
function joinHeaders({ headers, multiValueHeaders }: APIGatewayProxyEvent): HttpRequest['headers'] {
  const all = Object.keys(multiValueHeaders ?? {}).length > 0 ? multiValueHeaders : (headers ?? {});
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const [name, values] of Object.entries(all)) {
    const value = Array.isArray(values) ? values.join(', ') : values;
    const before = joined[name.toLowerCase()];
    joined[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
  }
  return joined;
}
