/** Relays a provider's response to the caller, and collects the facts for the log entry on the way. */
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { isSent, type KnownFacts, noFacts, type ReaderFacts } from '../completion/facts.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { DeadlineWatch } from '../providers/http/deadlines.ts';
import { createByteAccumulator } from '../providers/http/sse.ts';
import type { PreparedRequest, SuccessfulResponse } from '../providers/provider.ts';
import type { TextCounter } from '../text-counter.ts';
import type { Exchange } from './exchange.ts';
import type { ChatLimits } from './limits.ts';
import { responseHeaders } from './response-headers.ts';
import type { StreamResponse } from './stream-response.ts';

export interface RelayResult extends KnownFacts {
  /**
   * When the provider's bytes arrived with which the response begins: the chunk with a stream's first event, or the last
   * byte of a completion or a failed response. The time until then is the provider's. `null` if they did not arrive.
   */
  providerRespondedAtMs: number | null;
  /** When the completion or a stream's first event was sent to the caller; `null` if `error` is still to be sent instead. */
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

const noBytes = Buffer.alloc(0);

interface RelayOptions {
  watch: DeadlineWatch;
  limits: Pick<ChatLimits, 'closeGraceMs' | 'finishGraceMs' | 'maxResponseBytes'>;
  outputLimit: PreparedRequest['outputLimit'];
  now(): Date;
}

/** Reads the whole completion before sending it, so that a truncated one becomes an HTTP error. */
export async function relayCompletion(
  exchange: Readonly<Exchange>,
  provided: SuccessfulResponse,
  options: RelayOptions,
): Promise<RelayResult> {
  const { response } = exchange;
  const { body, ...read } = await readBody(exchange, provided, options);
  const result = { ...nothingRelayed, ...read };
  const { facts } = provided.reader;
  if (facts.kept !== undefined) await keepState(exchange, facts);
  if ((result.error === null || isSent(result.error)) && !response.clientDisconnected) {
    result.responseStartedAtMs = options.now().getTime();
    await sendBody(exchange, body);
  }
  // Few completions need it.
  const textBytes = () => {
    const text = textCounterOf(exchange);
    text.add(body);
    return text.bytes;
  };
  return withKnownFacts(exchange, result, { facts, textBytes, outputLimit: options.outputLimit });
}

async function keepState({ parsed }: Readonly<Exchange>, facts: ReaderFacts): Promise<void> {
  await parsed?.keepState?.(facts);
}

export async function sendBody(exchange: Readonly<Exchange>, body: Buffer): Promise<void> {
  const { response } = exchange;
  response.start(200, { ...responseHeaders(exchange), 'content-type': 'application/json' });
  await response.end(body);
}

interface ReadBody extends Pick<RelayResult, 'error' | 'providerRespondedAtMs'> {
  /** In the caller's format; empty after an error. */
  body: Buffer;
}

/** The request of an operation whose response is read. */
interface ReadRequest extends Pick<Exchange, 'provider'> {
  operation: Pick<Operation, 'maxResponseBytes'>;
  parsed: Pick<OperationRequest, 'stream'> | null;
}

/** Reads a response to its end. Never rejects. */
export async function readBody(
  request: Readonly<ReadRequest>,
  provided: SuccessfulResponse,
  options: RelayOptions,
): Promise<ReadBody> {
  const { reader } = provided;
  const { facts } = reader;
  const maxBytes = maxResponseBytes(request, options);
  const completion = createByteAccumulator();
  let providerRespondedAtMs: number | null = null;
  let size = 0;
  try {
    const readBytes = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) throw tooLargeError();
      completion.add(reader.push(chunk));
      return undefined;
    };
    await readToEnd(provided, options, readBytes);
    providerRespondedAtMs = options.now().getTime();
    completion.add(reader.end());
    const error = facts.error ?? (facts.ended ? null : truncatedError(request));
    return { body: completion.take(), error, providerRespondedAtMs };
  } catch (error) {
    return { body: noBytes, error: toGatewayError(error), providerRespondedAtMs };
  }
}

/**
 * Sends status and headers with the provider's first event, so that an earlier failure becomes an HTTP error. After the
 * caller disconnects, keeps reading for the usage as long as the watch allows.
 */
export async function relayStream(
  exchange: Readonly<Exchange>,
  provided: SuccessfulResponse,
  options: RelayOptions & { stream: StreamResponse },
): Promise<RelayResult> {
  const { response } = exchange;
  const { stream, now, outputLimit } = options;
  const { reader } = provided;
  const { facts } = reader;
  const maxBytes = maxResponseBytes(exchange, options);
  const text = textCounterOf(exchange);
  const result: RelayResult = { ...nothingRelayed };
  let sizeBeforeStart = 0;

  const forward = (events: Buffer): Promise<void> | undefined => {
    text.add(events);
    if (events.length === 0 || response.clientDisconnected) return undefined;
    // SSE comments may arrive long before the first token.
    if (!facts.started) return stream.writeComments(events);
    result.firstTokenAtMs ??= now().getTime();
    if (facts.ended) stream.stop();
    return stream.write(events);
  };
  const onArrival = () => {
    if (result.firstTokenAtMs === null) result.providerRespondedAtMs = now().getTime();
  };
  const readBytes = (chunk: Buffer): Promise<void> | undefined => {
    onArrival();
    if (!facts.started) {
      sizeBeforeStart += chunk.length;
      if (sizeBeforeStart > maxBytes) throw tooLargeError();
    }
    const events = reader.push(chunk);
    // The caller may continue the response as soon as it has the end of it.
    if (facts.kept === undefined || lastForward !== null) return forward(events);
    lastForward = keepState(exchange, facts).then(() => forward(events));
    return lastForward;
  };
  let lastForward: Promise<void> | null = null;
  try {
    await readToEnd(provided, options, readBytes);
    // The response may have ended before its last chunk was forwarded.
    if (lastForward !== null) await lastForward;
    if (facts.error === null) {
      onArrival();
      const rest = reader.end();
      if (facts.kept !== undefined && lastForward === null) await keepState(exchange, facts);
      await forward(rest);
    }
    result.error = facts.error ?? (facts.ended ? null : truncatedError(exchange));
  } catch (failure) {
    result.error = toGatewayError(failure);
    // The last chunk, such as a comment, may have arrived long before the failure.
    if (result.firstTokenAtMs === null) result.providerRespondedAtMs = null;
  }
  result.responseStartedAtMs = result.firstTokenAtMs;
  return withKnownFacts(exchange, result, { facts, textBytes: () => text.bytes, outputLimit });
}

/**
 * Passes the response's bytes on, until it ends or contains an error. Once everything has arrived, waits only briefly for the
 * end, so that the connection can be reused; some providers never end a finished response, or reset the connection.
 */
async function readToEnd(
  { read, reader: { facts } }: SuccessfulResponse,
  { watch, limits }: RelayOptions,
  readBytes: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const onChunk = (chunk: Buffer): Promise<void> | undefined => {
    const consumed = readBytes(chunk);
    if (facts.error !== null) return stopAfter(consumed);
    if (facts.finished) {
      const isWhole = facts.ended || facts.usage !== null;
      watch.settleWithin(isWhole ? limits.closeGraceMs : limits.finishGraceMs, { restart: facts.continued });
      facts.continued = false;
    }
    return consumed;
  };
  try {
    await read(onChunk);
  } catch (failure) {
    const isExpected = failure instanceof StopReading || (failure instanceof GatewayError && facts.finished);
    if (!isExpected) throw failure;
  }
}

/** Ends the reading of a response after an error in it. */
class StopReading extends Error {}

async function stopAfter(consumed: Promise<void> | undefined): Promise<never> {
  await consumed;
  throw new StopReading();
}

interface ReadSoFar {
  facts: ReaderFacts;
  /** Counts the text in UTF-8, for a reader that does not. */
  textBytes(): number;
  outputLimit: PreparedRequest['outputLimit'];
}

async function withKnownFacts(
  exchange: Readonly<Exchange>,
  result: RelayResult,
  { facts, textBytes, outputLimit }: ReadSoFar,
): Promise<RelayResult> {
  const isReserved = isCostReserved(exchange);
  const known = await exchange.parsed?.completeUsage({ facts, textBytes, isReserved, outputLimit });
  return {
    ...result,
    ...known,
    // After a disconnect, the end of the draining is no error: there is no caller to report it to.
    error: exchange.response.clientDisconnected ? null : result.error,
  };
}

function maxResponseBytes({ operation }: Readonly<ReadRequest>, { limits }: RelayOptions): number {
  return operation.maxResponseBytes ?? limits.maxResponseBytes;
}

/** Whether a hard budget holds a reservation. */
export function isCostReserved({ reservation }: Readonly<Exchange>): boolean {
  return reservation !== null && reservation.usd !== '0';
}

const noText: TextCounter = { add() {}, bytes: 0 };

function textCounterOf({ parsed }: Readonly<Exchange>): TextCounter {
  return parsed?.createTextCounter?.() ?? noText;
}

function truncatedError({ provider, parsed }: Readonly<ReadRequest>): GatewayError {
  const what = parsed?.stream ? 'stream' : 'response';
  return unusableResponseError(`The ${what} of the provider ${provider?.name} ended early`);
}

function tooLargeError(): GatewayError {
  return unusableResponseError("The provider's response is too large");
}
