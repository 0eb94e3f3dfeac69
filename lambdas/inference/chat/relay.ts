/** Relays a provider's response to the caller, and collects the facts for the log entry on the way. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import type { DeadlineWatch } from '../providers/http/deadlines.ts';
import { createByteAccumulator, maxEventBytes } from '../providers/http/sse.ts';
import {
  type CompletionResponse,
  noFacts,
  type ResponseFacts,
  type StreamingResponse,
} from '../providers/provider.ts';
import { createTextCounter, estimateUsage } from './estimate.ts';
import type { Exchange } from './exchange.ts';
import { responseHeaders } from './response-headers.ts';

export interface RelayResult {
  facts: ResponseFacts;
  isUsageEstimated: boolean;
  /**
   * When the provider's bytes arrived with which the response begins: the chunk with a stream's first event, or the last
   * byte of a completion or a failed response. The time until then is the provider's. `null` if they did not arrive.
   */
  providerRespondedAtMs: number | null;
  /** When status and headers were sent to the caller; `null` if `error` is still to be sent instead. */
  responseStartedAtMs: number | null;
  firstTokenAtMs: number | null;
  /** The error that is still to be sent to the caller. */
  error: GatewayError | null;
}

export const nothingRelayed: RelayResult = {
  facts: noFacts,
  isUsageEstimated: false,
  providerRespondedAtMs: null,
  responseStartedAtMs: null,
  firstTokenAtMs: null,
  error: null,
};

/** Reads the whole completion before sending it, so that a truncated one becomes an HTTP error. */
export async function relayCompletion(
  exchange: Readonly<Exchange>,
  { read }: CompletionResponse,
  now: () => Date,
): Promise<RelayResult> {
  const { response } = exchange;
  const result = { ...nothingRelayed };
  const onReceived = () => {
    result.providerRespondedAtMs = now().getTime();
  };
  try {
    const { body, facts, error = null } = await read(onReceived);
    result.facts = facts;
    result.error = error;
    if (error === null && !response.clientDisconnected) {
      result.responseStartedAtMs = now().getTime();
      response.start(200, { ...responseHeaders(exchange), 'content-type': 'application/json' });
      await response.end(body);
    }
  } catch (error) {
    result.error = toGatewayError(error);
  }
  return result;
}

export interface StreamOptions {
  watch: DeadlineWatch;
  closeGraceMs: number;
  now(): Date;
}

/**
 * Sends status and headers with the provider's first event, so that an earlier failure becomes an HTTP error. After the
 * caller disconnects, keeps reading for the usage as long as the watch allows.
 */
export async function relayStream(
  exchange: Readonly<Exchange>,
  { read, reader }: StreamingResponse,
  { watch, closeGraceMs, now }: StreamOptions,
): Promise<RelayResult> {
  const { response } = exchange;
  const { facts } = reader;
  const text = createTextCounter();
  const held = createByteAccumulator();
  let arrivedAtMs: number | null = null;
  let firstTokenAtMs: number | null = null;
  let isClosing = false;

  const startResponse = () => {
    firstTokenAtMs = now().getTime();
    response.start(200, {
      ...responseHeaders(exchange),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    return response.write(held.take());
  };
  const forward = (events: Buffer): Promise<void> | undefined => {
    text.add(events);
    if (response.status !== null) return response.write(events);
    if (response.clientDisconnected) return undefined;
    // SSE comments may arrive long before the first token.
    held.add(events);
    if (facts.started) return startResponse();
    if (held.length > maxEventBytes) throw emptyStreamError(exchange);
    return undefined;
  };
  const onArrival = () => {
    if (response.status === null) arrivedAtMs = now().getTime();
  };
  const onChunk = (chunk: Buffer): Promise<void> | undefined => {
    onArrival();
    const forwarded = forward(reader.push(chunk));
    if (facts.error !== null) return stopAfter(forwarded);
    if (facts.ended && !isClosing) {
      isClosing = true;
      watch.finishWithin({ milliseconds: closeGraceMs });
    }
    return forwarded;
  };

  let error: GatewayError | null = null;
  try {
    // Reads past the last event to the end of the body, since only then the connection can be reused.
    await read(onChunk).catch((failure: unknown) => {
      if (!(failure instanceof StopReading) && !facts.ended) throw failure;
    });
    if (facts.error === null) {
      onArrival();
      await forward(reader.end());
    }
    error = facts.error ?? (facts.complete ? null : truncatedStreamError(exchange));
  } catch (failure) {
    error = toGatewayError(failure);
    // The last chunk, such as a comment, may have arrived long before the failure.
    if (firstTokenAtMs === null) arrivedAtMs = null;
  }
  const estimate = error && estimateUsage({ facts, textBytes: text.bytes, request: exchange.chat });
  return {
    facts: estimate ?? facts,
    isUsageEstimated: estimate !== null,
    providerRespondedAtMs: arrivedAtMs,
    responseStartedAtMs: firstTokenAtMs,
    firstTokenAtMs,
    // After a disconnect, the end of the draining is no error: there is no caller to report it to.
    error: response.clientDisconnected ? null : error,
  };
}

/** Ends the reading of a stream after an error event. */
class StopReading extends Error {}

async function stopAfter(forwarded: Promise<void> | undefined): Promise<never> {
  await forwarded;
  throw new StopReading();
}

function truncatedStreamError({ provider }: Readonly<Exchange>): GatewayError {
  return new GatewayError('provider_error', {
    message: `The stream of the provider ${provider?.name} ended early`,
  });
}

function emptyStreamError({ provider }: Readonly<Exchange>): GatewayError {
  return new GatewayError('provider_error', {
    message: `The stream of the provider ${provider?.name} contained no completion`,
  });
}
