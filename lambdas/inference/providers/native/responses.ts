/** Reads responses in the caller's own format, which are forwarded byte for byte. Loaded while the provider works. */
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createBodyReader } from '../http/body-reader.ts';
import { createFormReader, type ResponseForm } from '../http/response-form.ts';
import type { ErrorResponse, ResponseReader, ResponseReaders } from '../provider.ts';
import { emptyResponseError } from '../translation/response-reader.ts';
import { createEventStreamReader, type EventReader } from './event-stream.ts';
import type { NativeContext, NativeOrigin } from './origin.ts';

/** How the responses of an API are read. */
interface NativeResponses {
  readError(response: ErrorResponse, origin: NativeOrigin): GatewayError;
  /** `text` is that of the body. Throws a `GatewayError` for an error, and for a body that is no response. */
  readWhole(body: JsonObject, text: string, context: NativeContext): void;
  createEventReader(context: NativeContext): EventReader;
}

export type CreateNativeReaders = (origin: NativeOrigin) => ResponseReaders;

export function createNativeReaders(responses: NativeResponses): CreateNativeReaders {
  return (origin) => ({
    readError: (response) => responses.readError(response, origin),
    createReader: () => createNativeReader(responses, origin),
  });
}

type PartReader = Pick<ResponseReader, 'push' | 'end'>;

const noBytes = Buffer.alloc(0);

/** A response in another form than the caller asked for is read for its usage, and then fails. */
function createNativeReader(responses: NativeResponses, origin: NativeOrigin): ResponseReader {
  const facts = startReaderFacts();
  const context: NativeContext = { origin, facts };
  const fail = (error: GatewayError): Buffer => {
    facts.error ??= error;
    return noBytes;
  };
  const withFailure = (read: () => Buffer): Buffer => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return fail(error);
    }
  };
  const createWholeReader = (reading: NativeContext): PartReader =>
    createBodyReader((body) => readWholeBody(body, responses, reading), reading.facts);
  const createStreamReader = (reading: NativeContext): PartReader =>
    createEventStreamReader(reading, responses.createEventReader(reading));

  const select = (form: ResponseForm | null): PartReader => {
    if (form === 'json') return origin.stream ? refusing(createWholeReader) : createWholeReader(context);
    if (form === 'events') return origin.stream ? createStreamReader(context) : refusing(createStreamReader);
    return { push: () => noBytes, end: () => fail(emptyResponseError(origin.provider)) };
  };
  const refusing = (createReader: (reading: NativeContext) => PartReader): PartReader => {
    const unsent = startReaderFacts();
    const reader = createReader({ origin, facts: unsent });
    const withFacts = (read: () => void): Buffer => {
      read();
      const { started: _, finished, ended, ...known } = unsent;
      Object.assign(facts, known);
      if (finished || ended) fail(wrongFormError(origin));
      return noBytes;
    };
    return { push: (chunk) => withFacts(() => reader.push(chunk)), end: () => withFacts(reader.end) };
  };
  const { push, end } = createFormReader(select);
  return { facts, push: (chunk) => withFailure(() => push(chunk)), end: () => withFailure(end) };
}

function readWholeBody(bytes: Buffer, { readWhole }: NativeResponses, context: NativeContext): Buffer {
  const text = bytes.toString('utf8');
  const body = parseJsonObject(text);
  if (body === null) throw emptyResponseError(context.origin.provider);
  readWhole(body, text, context);
  return bytes;
}

function wrongFormError({ provider, stream }: NativeOrigin): GatewayError {
  const [sent, asked] = stream ? ['a whole response', 'a stream'] : ['a stream', 'a whole response'];
  return unusableResponseError(
    `The provider ${provider} sent ${sent}, although the request asked for ${asked}`,
  );
}
