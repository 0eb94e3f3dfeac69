/** The status and headers that a streaming function writes before its body. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
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
