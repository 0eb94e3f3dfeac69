/**
 * HTTP to the providers on `node:http`, with kept-alive connections and three deadlines.
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
import { failureOf, interrupted, NotBegun, StaleConnection, unreachable } from './failures.ts';
import { gatherBytes } from './sse.ts';

export interface OutgoingRequest {
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpReply {
  status: number;
  headers: ReplyHeaders;
  /**
   * Reads the body to its end, decompressed. Rejects with a `GatewayError` when a deadline passes or the connection
   * breaks. What the reader throws ends the request, and is what it rejects with.
   */
  read(take: TakePiece): Promise<void>;
}

/** Is given the next piece once it is done with the one before: at once, or when its promise resolves. */
export type TakePiece = (piece: Buffer) => Promise<void> | undefined;

/** Throws a `GatewayError`: `provider_timeout`, or `provider_unavailable` when there is no connection (see `NotBegun`). */
export type HttpTransport = (request: OutgoingRequest, watch: DeadlineWatch) => Promise<HttpReply>;

export interface HttpTransportOptions {
  /**
   * A reset that comes within one round trip is of a provider that has not begun to work. One that comes later may be
   * of a provider that has, and might bill for it twice.
   */
  roundTripMs?: number;
}

export function createHttpTransport({ roundTripMs = 500 }: HttpTransportOptions = {}): HttpTransport {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  return async (request, watch) => {
    const agent = request.url.protocol === 'http:' ? agents['http:'] : agents['https:'];
    try {
      const message = await exchange({ request, agent, watch, roundTripMs });
      return toReply(message, watch);
    } catch (error) {
      throw watch.expired() ?? unreachable(error);
    }
  };
}

interface Sending {
  request: OutgoingRequest;
  agent: http.Agent | false;
  watch: DeadlineWatch;
  roundTripMs: number;
}

/** One request; a second one only when a kept connection turns out to be closed before all of the request was written. */
async function exchange(sending: Sending): Promise<http.IncomingMessage> {
  try {
    return await sendOnce(sending);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await sendOnce({ ...sending, agent: false });
  }
}

function sendOnce({ request, agent, watch, roundTripMs }: Sending): Promise<http.IncomingMessage> {
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
    let isEarly = roundTripMs > 0;
    const roundTrip = setTimeout(() => {
      isEarly = false;
    }, roundTripMs);
    let answered = false;
    outgoing.once('response', (message) => {
      answered = true;
      resolve(message);
    });
    outgoing.once('close', () => {
      clearTimeout(roundTrip);
      // Without an error, too: after an answer that would switch protocols.
      if (!answered) reject(new Error('The connection was closed without an answer'));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const failure = failureOf(error, { isKept: outgoing.reusedSocket, isEarly });
      // What was closed with it is not to meet the next attempt.
      if (failure instanceof NotBegun && agent) closeIdle(agent);
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

function toReply(message: http.IncomingMessage, watch: DeadlineWatch): HttpReply {
  return {
    status: message.statusCode ?? 0,
    headers: singleValues(message.headers),
    read: (take) => readBody({ message, watch, take }),
  };
}

interface Reading {
  message: http.IncomingMessage;
  watch: DeadlineWatch;
  take: TakePiece;
}

/** By events: an iterator takes as long for a piece as all else that is done with it. */
function readBody({ message, watch, take }: Reading): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = decompress(message);
    const stop = (error: unknown) => {
      watch.received(0);
      source.off('data', takeOne);
      message.destroy();
      reject(error);
    };
    const fail = (error: unknown) => stop(watch.expired() ?? interrupted(error));
    const goOn = () => {
      watch.awaitNext();
      source.resume();
    };
    const takeOne = (piece: Buffer) => {
      watch.received(piece.length);
      try {
        const taken = take(piece);
        if (taken === undefined) return watch.awaitNext();
        source.pause();
        taken.then(goOn, stop);
      } catch (error) {
        stop(error);
      }
    };
    // It may have gone before anybody could listen.
    if (source.destroyed) return fail(source.errored ?? new Error('closed'));
    source.on('data', takeOne);
    source.on('error', fail);
    source.once('close', () => {
      if (!source.readableEnded) fail(new Error('closed'));
    });
    source.once('end', () => {
      watch.received(0);
      resolve();
    });
  });
}

/** Throws a `GatewayError` when the answer is larger than that. */
export async function readWhole(reply: HttpReply, largestBytes: number): Promise<Buffer> {
  const gathered = gatherBytes();
  await reply.read((piece) => {
    if (gathered.length + piece.length > largestBytes) {
      throw new GatewayError('provider_error', { message: 'The provider sent an answer that is too large' });
    }
    gathered.add(piece);
    return undefined;
  });
  return gathered.take();
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

/** Of the headers, only cookies can be more than one text, and they are none of ours. */
function singleValues({ 'set-cookie': _, ...headers }: http.IncomingHttpHeaders): ReplyHeaders {
  return headers as ReplyHeaders;
}
