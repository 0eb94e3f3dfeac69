/** Sends a request to the gateway and passes its response on as it arrives. Nothing logs or stores the request. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { createEventStream } from '#lambdas/platform/http/event-stream.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { GatewayRequest } from './gateway-request.ts';

export interface GatewayAddress {
  /** Without a trailing slash. */
  apiBaseUrl: string;
  /** Until the gateway's response begins. */
  timeoutMs: number;
}

/**
 * Resolves when the response has ended or the client has disconnected, which aborts the request. Throws a `GatewayError` if
 * the gateway does not respond; a response that breaks off ends without an error, since its status has been sent.
 */
export async function passOn(
  { gateway, flushMs }: { gateway: GatewayAddress; flushMs: number },
  request: GatewayRequest,
  response: ResponseSink,
): Promise<void> {
  const abort = new AbortController();
  response.onClientDisconnect(() => abort.abort());
  const gatewayResponse = await send(gateway, request, abort);
  response.start(gatewayResponse.status, passedHeaders(gatewayResponse.headers));
  const isEventStream = gatewayResponse.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // The gateway's heartbeats arrive as bytes.
  const stream = createEventStream({ response, flushMs: isEventStream ? flushMs : 0 });
  try {
    for await (const bytes of gatewayResponse.body ?? []) await stream.write(Buffer.from(bytes));
  } catch (error) {
    if (!response.clientDisconnected) logUnexpected(error);
  } finally {
    stream.stop();
  }
  await response.end();
}

/**
 * Between two test requests, Lambda freezes the function, and the gateway may close a connection that was kept. Nothing has to
 * be decompressed.
 */
const connectionHeaders = { connection: 'close', 'accept-encoding': 'identity' };

async function send(
  { apiBaseUrl, timeoutMs }: GatewayAddress,
  { method, path, apiKey, headers, body }: GatewayRequest,
  abort: AbortController,
): Promise<Response> {
  const timer = setTimeout(() => abort.abort(timeoutError(timeoutMs)), timeoutMs);
  try {
    return await fetch(apiBaseUrl + path, {
      method,
      headers: { ...headers, authorization: `Bearer ${apiKey}`, ...connectionHeaders },
      body,
      // The key is only for the gateway.
      redirect: 'error',
      signal: abort.signal,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    logUnexpected(error);
    const message = 'The gateway cannot be reached at the moment: send the test request again';
    throw new GatewayError('service_unavailable', { message });
  } finally {
    clearTimeout(timer);
  }
}

function timeoutError(timeoutMs: number): GatewayError {
  const message = `The gateway has not responded within ${timeoutMs / 1000} seconds: try again, or another model`;
  return new GatewayError('provider_timeout', { message });
}

const passedNames = ['content-type', 'x-gateway-request-id', 'x-gateway-provider'];

function passedHeaders(headers: Headers): Record<string, string> {
  const passed: Record<string, string> = { 'cache-control': 'no-store' };
  for (const name of passedNames) {
    const value = headers.get(name);
    if (value !== null) passed[name] = value;
  }
  return passed;
}
