/** Sends a function's status, headers and body to the HTTP client. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { preludeContentType, preludeDelimiter } from '../functions/lambda-runtime.mjs';
import { asList, isObject, type JsonObject, parseJson } from '../untyped-json.ts';
import { remapHeaders } from './remapped-headers.ts';

interface ResponseHead {
  statusCode: number;
  headers: OutgoingHttpHeaders;
}

const maxPreludeBytes = 64 * 1024;

/**
 * Reads the prelude (status and headers as JSON) and leaves the rest of the body unread. Resolves to `null` when the
 * prelude is missing or invalid; rejects when the function fails before the end of the prelude.
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
      if (end === -1 && received.length < maxPreludeBytes) return;
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

/** Reads status and headers of a prelude or a proxy result, as callers get them; `null` when the status code is invalid. */
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
  return { statusCode, headers: remapHeaders(headers) };
}

/**
 * Streams the body with backpressure. Closes the client's connection when the function fails.
 *
 * After the client has disconnected, reads the rest of the body and discards it: as on AWS, the function writes to the end.
 * With `reportDisconnects`, closes the function's stream instead.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
 */
export async function sendStream(
  response: ServerResponse,
  { head, headers, body }: { head: ResponseHead; headers: OutgoingHttpHeaders; body: Readable },
  { reportDisconnects }: DisconnectSettings,
): Promise<void> {
  const leave = () => (reportDisconnects ? body.destroy() : body.resume());
  if (response.destroyed) {
    leave();
  } else {
    response.writeHead(head.statusCode, { ...headers, ...head.headers });
    // Send the headers together with the first chunk when it is available, immediately otherwise.
    if (body.readableLength === 0) response.flushHeaders();
    body.pipe(response);
    // After the listener of `pipe`, which pauses the body.
    response.once('close', leave);
  }
  await finished(body).catch(() => response.destroy());
}

export interface DisconnectSettings {
  /** Tells functions that their client has disconnected, as a server of its own would notice. AWS does not. */
  reportDisconnects: boolean;
}

/** Returns a controller that is aborted when the client disconnects, if that is reported. */
export function abortOnDisconnect(
  response: ServerResponse,
  { reportDisconnects }: DisconnectSettings,
): AbortController {
  const controller = new AbortController();
  response.once('close', () => {
    if (reportDisconnects && !response.writableFinished) controller.abort();
  });
  return controller;
}
