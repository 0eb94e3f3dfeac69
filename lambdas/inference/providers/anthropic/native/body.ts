/** Forwards a whole message byte for byte. */

import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { createJsonBody } from '#lambdas/inference/providers/http/json-body.ts';
import type { ResponseReader } from '#lambdas/inference/providers/provider.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { toStreamEvents } from '../reader.ts';
import { readStatedError } from './errors.ts';
import { createFactsReader, type NativeContext } from './facts.ts';

const noBytes = Buffer.alloc(0);

export function createMessageBodyReader(context: NativeContext): Pick<ResponseReader, 'push' | 'end'> {
  const { origin, facts } = context;
  const body = createJsonBody();
  let isRead = false;
  const read = (): Buffer => {
    isRead = true;
    const { value } = body.take();
    const text = value.toString('utf8');
    const message = parseJsonObject(text);
    if (message === null) throw emptyResponseError(origin.provider);
    if (findErrorInBody(message, origin) !== null) throw readStatedError(message, text, origin);
    if (!isMessage(message)) throw emptyResponseError(origin.provider);
    const reader = createFactsReader(context);
    for (const event of toStreamEvents(message)) reader.read(event);
    facts.started = true;
    facts.finished = true;
    facts.ended = true;
    return value;
  };
  return {
    // The end of the body is found in it, since some servers keep the connection open.
    push: (chunk) => (!isRead && body.push(chunk) ? read() : noBytes),
    end: () => (isRead ? noBytes : read()),
  };
}

function isMessage({ content }: JsonObject): boolean {
  return Array.isArray(content);
}
