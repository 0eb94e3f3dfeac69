/** Reads the response of a provider, within its deadlines and its size limit. */
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { type KnownFacts, noFacts } from '../completion/facts.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { DeadlineWatch } from '../providers/http/deadlines.ts';
import { createByteAccumulator } from '../providers/http/sse.ts';
import type { SuccessfulResponse } from '../providers/provider.ts';
import type { Exchange } from './exchange.ts';
import type { ChatLimits } from './limits.ts';

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

export interface ReadOptions {
  watch: DeadlineWatch;
  limits: Pick<ChatLimits, 'closeGraceMs' | 'finishGraceMs' | 'maxResponseBytes'>;
  now(): Date;
}

const noBytes = Buffer.alloc(0);

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
  options: ReadOptions,
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
 * Passes the response's bytes on, until it ends or contains an error. Once everything has arrived, waits only briefly for the
 * end, so that the connection can be reused; some providers never end a finished response, or reset the connection.
 */
export async function readToEnd(
  { read, reader: { facts } }: SuccessfulResponse,
  { watch, limits }: ReadOptions,
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

export function maxResponseBytes({ operation }: Readonly<ReadRequest>, { limits }: ReadOptions): number {
  return operation.maxResponseBytes ?? limits.maxResponseBytes;
}

export function truncatedError({ provider, parsed }: Readonly<ReadRequest>): GatewayError {
  const what = parsed?.stream ? 'stream' : 'response';
  return unusableResponseError(`The ${what} of the provider ${provider?.name} ended early`);
}

export function tooLargeError(): GatewayError {
  return unusableResponseError("The provider's response is too large");
}

/** Whether a hard budget holds a reservation. */
export function isCostReserved({ reservation }: Readonly<Exchange>): boolean {
  return reservation !== null && reservation.usd !== '0';
}
