/**
 * HTTP client for the providers on `node:http`, with keep-alive connections and deadlines.
 *
 * Does not follow redirects, since the credential must be sent to the configured host only.
 */
import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import zlib from 'node:zlib';
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import {
  ConnectError,
  StaleConnectionError,
  TruncatedResponseError,
  toConnectionError,
  toUnavailableError,
  UnansweredError,
} from './connection-errors.ts';
import type { DeadlineWatch } from './deadlines.ts';
import { createByteAccumulator } from './sse.ts';

export interface OutgoingRequest {
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpResponse {
  status: number;
  headers: ResponseHeaders;
  /**
   * Reads the decompressed body to its end. Rejects with a `GatewayError` when a deadline passes or the connection is
   * lost. An error thrown by the consumer aborts the request, and `read` rejects with it.
   */
  read(consume: ChunkConsumer): Promise<void>;
}

/** Returns a promise to delay the next chunk until it resolves. */
export type ChunkConsumer = (chunk: Buffer) => Promise<void> | undefined;

/**
 * Throws a `GatewayError`: `provider_timeout`, or `provider_unavailable` when there is no connection (a `ConnectError`
 * if the provider cannot have started processing the request). It is an `UnansweredError` if the request was sent.
 */
export type HttpTransport = (request: OutgoingRequest, watch: DeadlineWatch) => Promise<HttpResponse>;

/** A connection reset within the first round trip means that the provider has not started processing the request. */
const roundTripMs = 500;

export function createHttpTransport(): HttpTransport {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  return async (request, watch) => {
    const agent = request.url.protocol === 'http:' ? agents['http:'] : agents['https:'];
    let isSent = false;
    const onSent = () => {
      isSent = true;
    };
    try {
      const message = await post(request, watch, { agent, onSent }).catch((error: unknown) => {
        if (error instanceof StaleConnectionError) return post(request, watch, { agent: false, onSent });
        throw error;
      });
      return {
        status: message.statusCode ?? 0,
        headers: singleValues(message.headers),
        read: (consume) => readBody(message, watch, consume),
      };
    } catch (error) {
      const failure = watch.expired() ?? toUnavailableError(error);
      throw isSent && !(failure instanceof ConnectError) ? new UnansweredError(failure) : failure;
    }
  };
}

/** Resolves when the response headers have arrived. Without an agent, opens a new connection. */
function post(
  request: OutgoingRequest,
  watch: DeadlineWatch,
  { agent, onSent }: { agent: http.Agent | false; onSent(): void },
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = request.url.protocol === 'http:' ? http : https;
    const outgoing = client.request({
      ...optionsOf(request.url),
      method: 'POST',
      agent,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
    });
    let isWithinRoundTrip = true;
    const roundTrip = setTimeout(() => {
      isWithinRoundTrip = false;
    }, roundTripMs);
    outgoing.once('finish', onSent);
    let responded = false;
    outgoing.once('response', (message) => {
      responded = true;
      resolve(message);
    });
    outgoing.once('close', () => {
      clearTimeout(roundTrip);
      // For an unrequested protocol upgrade (status 101), Node emits neither a response nor an error.
      if (!responded) reject(new Error('The connection was closed without a response'));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const failure = toConnectionError(error, {
        isReused: outgoing.reusedSocket,
        isWithinRoundTrip,
      });
      // The provider probably closed the idle connections too, and a retry must not use them.
      if (failure instanceof ConnectError && agent) closeIdle(agent);
      reject(failure);
    });
    watch.onExpiry(() => outgoing.destroy(new Error('deadline')));
    outgoing.end(request.body);
  });
}

/** Cached, since most providers have one URL for all requests. */
const optionsByUrl = new WeakMap<URL, http.RequestOptions>();

function optionsOf(url: URL): http.RequestOptions {
  const options = optionsByUrl.get(url) ?? urlToHttpOptions(url);
  optionsByUrl.set(url, options);
  return options;
}

function closeIdle(agent: http.Agent): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** Uses events, since an async iterator would double the time per chunk. */
function readBody(
  message: http.IncomingMessage,
  watch: DeadlineWatch,
  consume: ChunkConsumer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = decompress(message);
    const stop = (error: unknown) => {
      watch.pause();
      source.off('data', onData);
      message.destroy();
      reject(error);
    };
    const fail = (error: unknown) => stop(watch.expired() ?? truncatedError(error));
    const resume = () => {
      watch.resume();
      source.resume();
    };
    const onData = (chunk: Buffer) => {
      watch.received(chunk.length);
      try {
        const consumed = consume(chunk);
        if (consumed === undefined) return;
        watch.pause();
        source.pause();
        consumed.then(resume, stop);
      } catch (error) {
        stop(error);
      }
    };
    // Reject here: a response that is already destroyed emits no error.
    if (source.destroyed) return fail(source.errored ?? new Error('closed'));
    source.on('data', onData);
    source.on('error', fail);
    source.once('close', () => {
      if (!source.readableEnded) fail(new Error('closed'));
    });
    source.once('end', () => {
      watch.pause();
      resolve();
    });
  });
}

/** Throws a `GatewayError` when the body is larger than `maxBytes`. */
export async function readAll(response: HttpResponse, maxBytes: number): Promise<Buffer> {
  const body = createByteAccumulator();
  await response.read((chunk) => {
    if (body.length + chunk.length > maxBytes) {
      throw unusableResponseError("The provider's response is too large");
    }
    body.add(chunk);
    return undefined;
  });
  return body.take();
}

function truncatedError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new TruncatedResponseError(error);
}

function decompress(message: http.IncomingMessage): Readable {
  const decoder = decoderFor(message.headers['content-encoding']);
  if (decoder === null) return message;
  // Errors of either stream are emitted by the decoder.
  pipeline(message, decoder, () => {});
  return decoder;
}

/** Requests ask for `identity`, but some servers compress nevertheless. */
function decoderFor(encoding: string | undefined): Transform | null {
  const flush = zlib.constants.Z_SYNC_FLUSH;
  switch (encoding?.toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'deflate':
      return zlib.createUnzip({ flush });
    case 'br':
      return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new GatewayError('provider_error', {
        message: `The provider's response has an unsupported content encoding: ${encoding}`,
      });
  }
}

/** Drops `set-cookie`, the only header that Node returns as an array. */
function singleValues({ 'set-cookie': _, ...headers }: http.IncomingHttpHeaders): ResponseHeaders {
  return headers as ResponseHeaders;
}
