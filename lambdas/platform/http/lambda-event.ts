/** Reads HTTP requests from Lambda events, both API Gateway's proxy events and those of a function URL. */
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { maxRequestBytes } from './payload-limits.ts';
import { bodyTooLargeError, decodeBody, type HttpRequest } from './request.ts';

export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2;

export function readHttpRequest(event: HttpEvent): HttpRequest {
  const readBody = () => bodyOf(event);
  if ('httpMethod' in event) {
    const { httpMethod: method, resource: path, requestContext } = event;
    return {
      method,
      path,
      headers: joinHeaders(event),
      sourceIp: requestContext.identity.sourceIp,
      readBody,
    };
  }
  const { method, sourceIp } = event.requestContext.http;
  return { method, path: event.rawPath, headers: event.headers, sourceIp, readBody };
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): string {
  if (body === undefined || body === null) return '';
  if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > maxRequestBytes)
    throw bodyTooLargeError();
  return isBase64Encoded ? decodeBody(Buffer.from(body, 'base64')) : body;
}

/** Joins the values of each header. The result has no prototype: `constructor` is missing unless a caller sent it. */
function joinHeaders({ headers, multiValueHeaders }: APIGatewayProxyEvent): HttpRequest['headers'] {
  const all = Object.keys(multiValueHeaders ?? {}).length > 0 ? multiValueHeaders : (headers ?? {});
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const [name, values] of Object.entries(all)) {
    const value = Array.isArray(values) ? values.join(', ') : values;
    const previous = joined[name.toLowerCase()];
    joined[name.toLowerCase()] = previous === undefined ? value : `${previous}, ${value}`;
  }
  return joined;
}
