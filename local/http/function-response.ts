/** The status, headers and body that a function responds with, up to the HTTP caller. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { preludeContentType, preludeDelimiter } from '../functions/lambda-runtime.ts';
import { asList, isObject, type JsonObject, parseJson } from '../untyped-json.ts';

export interface ResponseHead {
  statusCode: number;
  headers: OutgoingHttpHeaders;
}

const maximumPreludeBytes = 64 * 1024;

/**
 * Takes the prelude off the front of the body. `null` when the function wrote none, or one that is not valid;
 * rejects when the function failed before its end.
 */
export function readPrelude(contentType: string | undefined, body: Readable): Promise<ResponseHead | null> {
  if (contentType !== preludeContentType) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (head: ResponseHead | null) => {
      body.off('data', onData).off('end', onEnd).off('error', reject);
      resolve(head);
    };
    const onEnd = () => settle(null);
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(preludeDelimiter);
      if (end === -1 && received.length < maximumPreludeBytes) return;
      body.pause();
      const rest = received.subarray(end + preludeDelimiter.length);
      if (end !== -1 && rest.length > 0) body.unshift(rest);
      settle(end === -1 ? null : parsePrelude(received.subarray(0, end).toString('utf8')));
    };
    body.on('data', onData).once('end', onEnd).once('error', reject);
  });
}

function parsePrelude(json: string): ResponseHead | null {
  const prelude = parseJson(json);
  return isObject(prelude) ? readResponseHead(prelude) : null;
}

/** Of a prelude or of a proxy result: `null` when the status code is not one. */
export function readResponseHead(source: JsonObject): ResponseHead | null {
  const statusCode = Number(source.statusCode ?? 200);
  if (!Number.isInteger(statusCode) || statusCode < 100 || statusCode > 599) return null;
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(isObject(source.headers) ? source.headers : {})) {
    headers[name.toLowerCase()] = String(value);
  }
  const multiple = isObject(source.multiValueHeaders) ? source.multiValueHeaders : {};
  for (const [name, values] of Object.entries(multiple))
    headers[name.toLowerCase()] = asList(values).map(String);
  const cookies = asList(source.cookies).map(String);
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return { statusCode, headers };
}

/**
 * Chunk by chunk as they are written, at the caller's pace. A function that fails on the way cuts the caller's
 * connection; a caller that goes away closes the function's stream.
 */
export async function sendStream(
  response: ServerResponse,
  { head, headers, body }: { head: ResponseHead; headers: OutgoingHttpHeaders; body: Readable },
): Promise<void> {
  response.writeHead(head.statusCode, { ...headers, ...head.headers });
  // With the first chunk when it is there already, at once when it is not.
  if (body.readableLength === 0) response.flushHeaders();
  try {
    await pipeline(body, response);
  } catch {
    response.destroy();
  }
}

/** Aborted when the caller closes the connection before it was answered in full. */
export function whenCallerGoes(response: ServerResponse): AbortController {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller;
}
