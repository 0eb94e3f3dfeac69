/** Forwards a whole message byte for byte. */
import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { createBodyReader } from '#lambdas/inference/providers/http/body-reader.ts';
import type { ResponseReader } from '#lambdas/inference/providers/provider.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { isMessage, toStreamEvents } from '../reader.ts';
import { readStatedError } from './errors.ts';
import { createFactsReader, type NativeContext } from './facts.ts';

export function createMessageBodyReader(context: NativeContext): ResponseReader {
  const { origin, facts } = context;
  return createBodyReader((body) => {
    const text = body.toString('utf8');
    const message = parseJsonObject(text);
    if (message === null) throw emptyResponseError(origin.provider);
    if (findErrorInBody(message, origin) !== null) throw readStatedError(message, text, origin);
    if (!isMessage(message)) throw emptyResponseError(origin.provider);
    const reader = createFactsReader(context);
    for (const event of toStreamEvents(message)) reader.read(event);
    return body;
  }, facts);
}
