/** Reads the responses of a Messages API for callers who use it themselves. Loaded while the provider works. */
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { createFormReader, type ResponseForm } from '#lambdas/inference/providers/http/response-form.ts';
import type { ResponseReader, ResponseReaders } from '#lambdas/inference/providers/provider.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createMessageBodyReader } from './body.ts';
import { readNativeError } from './errors.ts';
import type { NativeContext, NativeOrigin } from './facts.ts';
import { createMessageStreamReader } from './stream.ts';

export function createNativeReaders(origin: NativeOrigin): ResponseReaders {
  return {
    readError: (response) => readNativeError(response, origin),
    createReader: () => createNativeReader(origin),
  };
}

type MessageReader = Pick<ResponseReader, 'push' | 'end'>;

/** A response in another form than the caller asked for is read for its usage, and then fails. */
function createNativeReader(origin: NativeOrigin): ResponseReader {
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
  const select = (form: ResponseForm | null): MessageReader => {
    if (form === 'json')
      return origin.stream ? refusing(createMessageBodyReader) : createMessageBodyReader(context);
    if (form === 'events')
      return origin.stream ? createMessageStreamReader(context) : refusing(createMessageStreamReader);
    return { push: () => noBytes, end: () => fail(emptyResponseError(origin.provider)) };
  };
  const refusing = (createReader: (context: NativeContext) => MessageReader): MessageReader => {
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

const noBytes = Buffer.alloc(0);

function wrongFormError({ provider, stream }: NativeOrigin): GatewayError {
  const [sent, asked] = stream ? ['a whole message', 'a stream'] : ['a stream', 'a whole message'];
  return new GatewayError('provider_error', {
    message: `The provider ${provider} sent ${sent}, although the request asked for ${asked}`,
  });
}
