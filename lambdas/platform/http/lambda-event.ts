/** Reads HTTP requests from Lambda events, both API Gateway's proxy events and those of a function URL. */
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { maxRequestBytes } from './payload-limits.ts';
import type { RawQueryParameters } from './query.ts';
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
      readQuery: () => event.multiValueQueryStringParameters ?? {},
      sourceIp: requestContext.identity.sourceIp,
      readBody,
    };
  }
  const { method, sourceIp } = event.requestContext.http;
  const { rawPath: path, headers } = event;
  const readQuery = () => parseQuery(event.rawQueryString);
  return { method, path, headers, readQuery, sourceIp, readBody };
}

function parseQuery(queryString: string): RawQueryParameters {
  const parameters = new URLSearchParams(queryString);
  const names = new Set(parameters.keys());
  return Object.fromEntries([...names].map((name) => [name, parameters.getAll(name)]));
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
