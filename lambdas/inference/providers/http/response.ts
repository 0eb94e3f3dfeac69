/** Reads the head of a provider's HTTP response: an error, which is read at once, a completion or a stream. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Completion, PreparedRequest, ProviderResponse } from '../provider.ts';
import { type HttpResponse, readAll } from './client.ts';
import { requestIdOf, retryAfterMsOf } from './headers.ts';

/** No error has that much to say. */
const maxErrorBytes = 1024 * 1024;

/** `maxBytes` limits a body that is read as a whole. */
export async function readResponse(
  { protocol, call }: PreparedRequest,
  reply: HttpResponse,
  maxBytes: number,
): Promise<ProviderResponse> {
  const { status, headers } = reply;
  const requestId = requestIdOf(headers, protocol.requestIdHeaders, call.apiKey);
  if (status < 200 || status > 299) {
    const body = await readErrorBody(reply, Math.min(maxBytes, maxErrorBytes));
    const error = protocol.readError({ status, headers, body }, call);
    return { kind: 'refusal', requestId, status, error, retryAfterMs: retryAfterMsOf(headers) };
  }
  // The provider's word counts, not what was asked for.
  const contentType = headers['content-type'];
  const isStream = contentType === undefined ? call.request.stream : eventStream.test(contentType);
  if (isStream)
    return { kind: 'stream', requestId, read: reply.read, reader: protocol.createStreamReader(call) };
  const read = async (): Promise<Completion> => protocol.readCompletion(await readAll(reply, maxBytes), call);
  return { kind: 'completion', requestId, read };
}

const eventStream = /^(text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

/** Empty when it cannot be read: the status and the headers say most, and are not lost with it. */
async function readErrorBody(reply: HttpResponse, maxBytes: number): Promise<Buffer> {
  try {
    return await readAll(reply, maxBytes);
  } catch (error) {
    if (error instanceof GatewayError) return Buffer.alloc(0);
    throw error;
  }
}
