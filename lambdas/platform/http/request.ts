/** The two event shapes that a request can come in, as one. */
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { GatewayError, invalidRequest } from '../errors.ts';
import { maxRequestBytes } from './payload-limits.ts';

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

/** Throws a `GatewayError`: 415 for a body that is compressed, 413 for one that is too large, 400 for one of no text. */
export function readBodyText(event: HttpEvent): string {
  refuseEncoded(event);
  const body = event.body ?? '';
  if (Buffer.byteLength(body, event.isBase64Encoded ? 'base64' : 'utf8') > maxRequestBytes) {
    throw new GatewayError('request_too_large', {
      param: 'body',
      message: `The request body must have at most ${maxRequestBytes} bytes`,
    });
  }
  return event.isBase64Encoded ? decodeBase64(body) : body;
}

const encodingHeader = 'content-encoding';

/** Nobody asks for it with a prompt, and what is small on the wire could be large in memory. */
function refuseEncoded(event: HttpEvent): void {
  const sent = sentHeaders(event);
  const encodings = Object.keys(sent)
    // The length first: it is one of very many.
    .filter((name) => name.length === encodingHeader.length && name.toLowerCase() === encodingHeader)
    .flatMap((name) => String(sent[name] ?? '').split(','))
    .map((encoding) => encoding.trim().toLowerCase());
  if (encodings.every((encoding) => encoding === '' || encoding === 'identity')) return;
  throw new GatewayError('unsupported_media_type', {
    param: encodingHeader,
    message: 'The request body must not be compressed: send it without content-encoding',
  });
}

function decodeBase64(body: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'base64'));
  } catch (error) {
    if (error instanceof TypeError) throw invalidRequest('body', 'The request body must be JSON in UTF-8');
    throw error;
  }
}

/** Has no prototype, so that a header called `constructor` is there only if it was sent. */
function joinHeaders(event: APIGatewayProxyEvent): HttpRequest['headers'] {
  const joined: Record<string, string | undefined> = Object.create(null);
  for (const [name, values] of Object.entries(sentHeaders(event))) {
    const value = Array.isArray(values) ? values.join(', ') : values;
    const before = joined[name.toLowerCase()];
    joined[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
  }
  return joined;
}

/** With the names as they were sent, and all values of each if the event has them. */
function sentHeaders(event: HttpEvent): Readonly<Record<string, string | string[] | undefined>> {
  if (!('httpMethod' in event)) return event.headers;
  const { headers, multiValueHeaders } = event;
  return Object.keys(multiValueHeaders ?? {}).length > 0 ? multiValueHeaders : (headers ?? {});
}
