/**
 * Encodes Bedrock's binary event stream: one frame per event `{"<type>": {…}}`.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html describes the frames.
 */
import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

export const bedrockStreamType = 'application/vnd.amazon.eventstream';

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** Encodes an event, or an exception if the type ends in `Exception`. Throws unless `event` is an object with one key. */
export function bedrockFrame(event: unknown): Buffer {
  const [[type, payload] = [], ...others] = isJsonObject(event) ? Object.entries(event) : [];
  if (type === undefined || others.length > 0 || !isJsonObject(payload)) {
    throw new Error(`An event must be an object with one key: ${JSON.stringify(event)}`);
  }
  const isException = type.endsWith('Exception');
  const headers = {
    [isException ? ':exception-type' : ':event-type']: stringHeader(type),
    ':content-type': stringHeader('application/json'),
    ':message-type': stringHeader(isException ? 'exception' : 'event'),
  };
  const body = isException ? payload : padded(payload);
  return Buffer.from(codec.encode({ headers, body: fromUtf8(JSON.stringify(body)) }));
}

function stringHeader(value: string) {
  return { type: 'string' as const, value };
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Adds padding `p` of varying length, as Bedrock does to hide the length of the text. */
function padded(payload: object): object {
  const length = 2 + (JSON.stringify(payload).length % (alphabet.length - 1));
  return { p: alphabet.slice(0, length), ...payload };
}
