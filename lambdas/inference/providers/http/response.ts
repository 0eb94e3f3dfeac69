/** Classifies a provider's HTTP response by its status as a failure, whose body is read here, or a success. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { PreparedRequest, ProviderResponse } from '../provider.ts';
import { type HttpResponse, readAll } from './client.ts';
import { requestIdOf, retryAfterMsOf } from './headers.ts';
import { withoutByteOrderMark } from './response-form.ts';

const maxErrorBytes = 1024 * 1024;

export async function readResponse(
  { protocol, call }: PreparedRequest,
  response: HttpResponse,
): Promise<ProviderResponse> {
  const { status, headers } = response;
  const requestId = requestIdOf(headers, protocol.requestIdHeaders, call.apiKey);
  const { readError, createReader } = await protocol.loadReaders();
  if (status < 200 || status > 299) {
    const body = await readErrorBody(response);
    const error = readError({ status, headers, body });
    const retryAfterMs = retryAfterMsOf(headers);
    return { kind: 'failure', requestId, status, error, body, mayBeCharged: false, retryAfterMs };
  }
  return { kind: 'success', requestId, read: response.read, reader: createReader(headers) };
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
