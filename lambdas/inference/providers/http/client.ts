/**
 * HTTP to the providers on `node:http`, with kept-alive connections, under the deadlines of a watch.
 *
 * Redirects are not followed: a credential goes to the configured host or nowhere.
 */
import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import zlib from 'node:zlib';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { DeadlineWatch } from './deadlines.ts';
import {
  ConnectError,
  StaleConnectionError,
  TruncatedResponseError,
  toConnectionError,
  toUnavailableError,
} from './failures.ts';
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
   * Reads the body to its end, decompressed. Rejects with a `GatewayError` when a deadline passes or the connection
   * breaks. What the reader throws ends the request, and is what it rejects with.
   */
  read(take: ChunkConsumer): Promise<void>;
}

/** Is given the next piece once it is done with the one before: at once, or when its promise resolves. */
export type ChunkConsumer = (piece: Buffer) => Promise<void> | undefined;

/**
 * Posts a request. Throws a `GatewayError`: `provider_timeout`, or `provider_unavailable` when there is no connection (a
 * `ConnectError` where the provider cannot have begun to work).
 */
export type HttpTransport = (request: OutgoingRequest, watch: DeadlineWatch) => Promise<HttpResponse>;

/**
 * A reset within one round trip is of a provider that has not begun to work. One that comes later may be of a provider
 * that has, and might bill for it twice.
 */
const roundTripMs = 500;

export function createHttpTransport(): HttpTransport {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  return async (request, watch) => {
    const agent = request.url.protocol === 'http:' ? agents['http:'] : agents['https:'];
    try {
      const message = await post(request, watch, agent).catch((error: unknown) => {
        if (error instanceof StaleConnectionError) return post(request, watch, false);
        throw error;
      });
      return {
        status: message.statusCode ?? 0,
        headers: singleValues(message.headers),
        read: (take) => readBody(message, watch, take),
      };
    } catch (error) {
      throw watch.expired() ?? toUnavailableError(error);
    }
  };
}

/** Resolves when the head of the response has come. Without an agent, the connection is a new one. */
function post(
  request: OutgoingRequest,
  watch: DeadlineWatch,
  agent: http.Agent | false,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = request.url.protocol === 'http:' ? http : https;
    const outgoing = client.request({
      ...optionsOf(request.url),
      method: 'POST',
      agent,
      // Whatever the environment says of it.
      rejectUnauthorized: true,
      headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
    });
    let isWithinRoundTrip = true;
    const roundTrip = setTimeout(() => {
      isWithinRoundTrip = false;
    }, roundTripMs);
    let answered = false;
    outgoing.once('response', (message) => {
      answered = true;
      resolve(message);
    });
    outgoing.once('close', () => {
      clearTimeout(roundTrip);
      // There is no error after a response that would switch protocols.
      if (!answered) reject(new Error('The connection was closed without a response'));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const failure = toConnectionError(error, {
        isReused: outgoing.reusedSocket,
        isWithinRoundTrip,
      });
      // The next attempt must not meet a connection that was closed with this one.
      if (failure instanceof ConnectError && agent) closeIdle(agent);
      reject(failure);
    });
    watch.onExpiry(() => outgoing.destroy(new Error('deadline')));
    outgoing.end(request.body);
  });
}

/** Most providers have one URL for all requests. */
const optionsByUrl = new WeakMap<URL, http.RequestOptions>();

function optionsOf(url: URL): http.RequestOptions {
  const options = optionsByUrl.get(url) ?? urlToHttpOptions(url);
  optionsByUrl.set(url, options);
  return options;
}

function closeIdle(agent: http.Agent): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** Events rather than an iterator, which takes as long for a piece as everything else that is done with it. */
function readBody(message: http.IncomingMessage, watch: DeadlineWatch, take: ChunkConsumer): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = decompress(message);
    const stop = (error: unknown) => {
      watch.pause();
      source.off('data', onData);
      message.destroy();
      reject(error);
    };
    const fail = (error: unknown) => stop(watch.expired() ?? truncated(error));
    const resume = () => {
      watch.resume();
      source.resume();
    };
    const onData = (piece: Buffer) => {
      watch.received(piece.length);
      try {
        const taken = take(piece);
        if (taken === undefined) return;
        watch.pause();
        source.pause();
        taken.then(resume, stop);
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

/** Reads the whole body. Throws a `GatewayError` when it is larger than `maxBytes`. */
export async function readAll(reply: HttpResponse, maxBytes: number): Promise<Buffer> {
  const gathered = createByteAccumulator();
  await reply.read((piece) => {
    if (gathered.length + piece.length > maxBytes) {
      throw new GatewayError('provider_error', { message: 'The provider sent an answer that is too large' });
    }
    gathered.add(piece);
    return undefined;
  });
  return gathered.take();
}

function truncated(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new TruncatedResponseError(error);
}

function decompress(message: http.IncomingMessage): Readable {
  const decoder = decoderFor(message.headers['content-encoding']);
  if (decoder === null) return message;
  // Errors of either side reach whoever reads the decoder.
  pipeline(message, decoder, () => {});
  return decoder;
}

/** Identity was asked for; some servers compress all the same. */
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
        message: `The provider compressed its answer as ${encoding}`,
      });
  }
}

/** Cookies are the only header that can have several values, and none of ours. */
function singleValues({ 'set-cookie': _, ...headers }: http.IncomingHttpHeaders): ResponseHeaders {
  return headers as ResponseHeaders;
}
