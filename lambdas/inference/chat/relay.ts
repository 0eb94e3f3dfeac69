/** Brings a provider's reply to the caller, and reads on the way what the log entry needs of it. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { asGatewayError } from '#lambdas/platform/http/error-response.ts';
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

/** What became of a reply. */
export interface RelayResult {
  facts: ResponseFacts;
  /** Whether the usage among the facts is a guess. */
  isEstimated: boolean;
  firstTokenAtMs: number | null;
  /** The caller has not heard of it yet. */
  error: GatewayError | null;
}

/** A completion is sent when it is whole, so that one that breaks off is an error and not half a response. */
export async function relayCompletion(
  exchange: Readonly<Exchange>,
  reply: CompletionResponse,
): Promise<RelayResult> {
  const { response } = exchange;
  const unread = { facts: noFacts, isEstimated: false, firstTokenAtMs: null };
  try {
    const { body, facts, error = null } = await reply.read();
    if (error === null && !response.clientDisconnected) {
      response.start(200, { ...responseHeaders(exchange), 'content-type': 'application/json' });
      await response.end(body);
    }
    return { ...unread, facts, error };
  } catch (error) {
    return { ...unread, error: asGatewayError(error) };
  }
}

export interface StreamOptions {
  watch: DeadlineWatch;
  /** How long the provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
  now(): Date;
}

/**
 * Sends status and headers with the provider's first event: until then, what goes wrong is an HTTP error. When the
 * caller has gone, the reading goes on for the sake of the usage, as far as the watch allows.
 */
export async function relayStream(
  exchange: Readonly<Exchange>,
  { read, reader }: StreamingResponse,
  { watch, lingerMs, now }: StreamOptions,
): Promise<RelayResult> {
  const { response } = exchange;
  const { facts } = reader;
  const text = createTextCounter();
  const held = createByteAccumulator();
  let firstTokenAtMs: number | null = null;
  let isLingering = false;

  const begin = () => {
    firstTokenAtMs = now().getTime();
    response.start(200, {
      ...responseHeaders(exchange),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    return response.write(held.take());
  };
  const pass = (events: Buffer): Promise<void> | undefined => {
    text.add(events);
    if (response.status !== null) return response.write(events);
    if (response.clientDisconnected) return undefined;
    // Comments may come long before the first token does.
    held.add(events);
    if (facts.started) return begin();
    if (held.length > maxEventBytes) throw withoutCompletion(exchange);
    return undefined;
  };
  const take = (chunk: Buffer): Promise<void> | undefined => {
    const passed = pass(reader.push(chunk));
    if (facts.error !== null) return stopAfter(passed);
    if (facts.ended && !isLingering) {
      isLingering = true;
      watch.finishWithin({ milliseconds: lingerMs });
    }
    return passed;
  };

  let error: GatewayError | null = null;
  try {
    // To its end even when it has said that it is over: only then the connection can be kept.
    await read(take).catch((failure: unknown) => {
      if (!(failure instanceof StopReading) && !facts.ended) throw failure;
    });
    if (facts.error === null) await pass(reader.end());
    error = facts.error ?? (facts.complete ? null : brokenOff(exchange));
  } catch (failure) {
    error = asGatewayError(failure);
  }
  const estimate = error && estimateUsage({ facts, textBytes: text.bytes, request: exchange.chat });
  return {
    facts: estimate ?? facts,
    isEstimated: estimate !== null,
    firstTokenAtMs,
    // What was read until then is all that the log will know, and nobody is left to hear of the rest.
    error: response.clientDisconnected ? null : error,
  };
}

/** Nothing after an error inside a stream is read. */
class StopReading extends Error {}

async function stopAfter(passed: Promise<void> | undefined): Promise<never> {
  await passed;
  throw new StopReading();
}

function brokenOff({ provider }: Readonly<Exchange>): GatewayError {
  return new GatewayError('provider_error', { message: `The stream of ${provider?.name} broke off` });
}

function withoutCompletion({ provider }: Readonly<Exchange>): GatewayError {
  return new GatewayError('provider_error', {
    message: `The stream of ${provider?.name} had no answer in it`,
  });
}
