/** Classifies a provider's HTTP response by its status as a failure, whose body is read here, or a success. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { PreparedRequest, ProviderResponse, ResponseReader } from '../provider.ts';
import { type HttpResponse, readAll } from './client.ts';
import { pickHeaders, requestIdOf, retryAfterMsOf } from './headers.ts';
import { withoutByteOrderMark } from './response-form.ts';

const maxErrorBytes = 1024 * 1024;

const noBytes = Buffer.alloc(0);
const noHeaders = {};

export async function readResponse(
  { protocol, call }: PreparedRequest,
  response: HttpResponse,
): Promise<ProviderResponse> {
  const { status, headers } = response;
  const requestId = requestIdOf(headers, protocol.requestIdHeaders, call.apiKey);
  const { relayedHeaders } = protocol;
  const callerHeaders =
    relayedHeaders === undefined ? noHeaders : pickHeaders(headers, relayedHeaders, call.apiKey);
  const { readError, createReader } = await protocol.loadReaders();
  if (status < 200 || status > 299) {
    const error = readError({ status, headers, body: await readErrorBody(response) });
    const retryAfterMs = retryAfterMsOf(headers);
    return { kind: 'failure', requestId, status, error, callerHeaders, mayBeCharged: false, retryAfterMs };
  }
  const reader = createReader(headers);
  return { kind: 'success', requestId, callerHeaders, read: readWithCode(response.read, reader), reader };
}

/** Waits for code that the reader needs, and then lets it read the bytes that it has kept. */
function readWithCode(read: HttpResponse['read'], reader: ResponseReader): HttpResponse['read'] {
  if (reader.load === undefined) return read;
  return async (consume) => {
    // `read` may resolve before the last chunk has been consumed.
    let resumed: Promise<void> | undefined;
    await read((chunk) => {
      const consumed = consume(chunk);
      const loading = reader.load?.(false);
      if (loading === undefined) return consumed;
      resumed = Promise.all([consumed, loading]).then(() => consume(noBytes));
      return resumed;
    });
    await resumed;
    await reader.load?.(true);
  };
}

/** Returns an empty body when it cannot be read, so that the status and the headers can still be reported. */
async function readErrorBody(response: HttpResponse): Promise<Buffer> {
  try {
    return withoutByteOrderMark(await readAll(response, maxErrorBytes));
  } catch (error) {
    if (error instanceof GatewayError) return Buffer.alloc(0);
    throw error;
  }
}
