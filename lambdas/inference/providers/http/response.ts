/** Classifies a provider's HTTP response as a failure, whose body is read here, a completion or a stream. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Completion, PreparedRequest, ProviderResponse } from '../provider.ts';
import { type HttpResponse, readAll } from './client.ts';
import { requestIdOf, retryAfterMsOf } from './headers.ts';

const maxErrorBytes = 1024 * 1024;

export async function readResponse(
  { protocol, call }: PreparedRequest,
  response: HttpResponse,
  maxCompletionBytes: number,
): Promise<ProviderResponse> {
  const { status, headers } = response;
  const requestId = requestIdOf(headers, protocol.requestIdHeaders, call.apiKey);
  if (status < 200 || status > 299) {
    const body = await readErrorBody(response, Math.min(maxCompletionBytes, maxErrorBytes));
    const error = protocol.readError({ status, headers, body }, call);
    return { kind: 'failure', requestId, status, error, retryAfterMs: retryAfterMsOf(headers) };
  }
  // The content type takes precedence, since a provider may ignore `stream`.
  const contentType = headers['content-type'];
  const isStream = contentType === undefined ? call.request.stream : eventStream.test(contentType);
  if (isStream) {
    return {
      kind: 'stream',
      requestId,
      read: response.read,
      reader: protocol.createStreamReader(call, headers),
    };
  }
  const read = async (onReceived?: () => void): Promise<Completion> => {
    const body = await readAll(response, maxCompletionBytes);
    onReceived?.();
    return protocol.readCompletion(body, call, headers);
  };
  return { kind: 'completion', requestId, read };
}

const eventStream = /^(text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

/** Returns an empty body when it cannot be read, so that the status and the headers can still be reported. */
async function readErrorBody(response: HttpResponse, maxBytes: number): Promise<Buffer> {
  try {
    return await readAll(response, maxBytes);
  } catch (error) {
    if (error instanceof GatewayError) return Buffer.alloc(0);
    throw error;
  }
}
