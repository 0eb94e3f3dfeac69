/** Relays a provider's response to the caller, and collects the facts for the log entry on the way. */
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { isSent, type ReaderFacts } from '../completion/facts.ts';
import type { PreparedRequest, SuccessfulResponse } from '../providers/provider.ts';
import type { TextCounter } from '../text-counter.ts';
import type { Exchange } from './exchange.ts';
import type { Fallback, ReadContent } from './fallback.ts';
import {
  isCostReserved,
  maxResponseBytes,
  nothingRelayed,
  type ReadOptions,
  type RelayResult,
  readBody,
  readToEnd,
  tooLargeError,
  truncatedError,
} from './read-response.ts';
import { responseHeaders } from './response-headers.ts';
import type { StreamResponse } from './stream-response.ts';

interface RelayOptions extends ReadOptions {
  outputLimit: PreparedRequest['outputLimit'];
  /** `null` unless the request is one to a route. */
  fallback: Fallback | null;
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
  // Few completions need it.
  let counted: number | null = null;
  const textBytes = () => {
    if (counted !== null) return counted;
    const text = textCounterOf(exchange);
    text.add(body);
    counted = text.bytes;
    return counted;
  };
  const { fallback } = options;
  const content = () => readContent(exchange, { facts, textBytes: textBytes(), size: body.length });
  const failure = fallback && (await fallback.takeOver(result.error, content()));
  if (failure !== null) result.error = failure;
  else {
    if (facts.kept !== undefined) await keepState(exchange, facts);
    if ((result.error === null || isSent(result.error)) && !response.clientDisconnected) {
      result.responseStartedAtMs = options.now().getTime();
      await sendBody(exchange, body);
    }
  }
  return withKnownFacts(exchange, result, { facts, textBytes, outputLimit: options.outputLimit });
}

async function keepState({ parsed }: Readonly<Exchange>, facts: ReaderFacts): Promise<void> {
  await parsed?.keepState?.(facts);
}

/** `null` for an operation whose responses have no text. */
function readContent({ parsed }: Readonly<Exchange>, read: ReadContent): ReadContent | null {
  return parsed?.createTextCounter === undefined ? null : read;
}

export async function sendBody(exchange: Readonly<Exchange>, body: Buffer): Promise<void> {
  const { response } = exchange;
  response.start(200, { ...responseHeaders(exchange), 'content-type': 'application/json' });
  await response.end(body);
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
  const { stream, now, outputLimit, fallback } = options;
  const { reader } = provided;
  const { facts } = reader;
  const maxBytes = maxResponseBytes(exchange, options);
  const text = textCounterOf(exchange);
  const result: RelayResult = { ...nothingRelayed };
  let sizeBeforeStart = 0;

  const send = (events: Buffer): Promise<void> | undefined => {
    result.firstTokenAtMs ??= now().getTime();
    if (facts.ended) stream.stop();
    return stream.write(events);
  };
  const forward = (events: Buffer): Promise<void> | undefined => {
    text.add(events);
    if (events.length === 0 || response.clientDisconnected) return undefined;
    // SSE comments may arrive long before the first token.
    if (!facts.started) return stream.writeComments(events);
    if (fallback === null) return send(events);
    const released = fallback.hold(events, { facts, textBytes: text.bytes });
    return released === null ? undefined : send(released);
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
  if (fallback !== null && result.firstTokenAtMs === null && !response.clientDisconnected) {
    const content = readContent(exchange, { facts, textBytes: text.bytes, size: 0 });
    const failure = await fallback.takeOver(result.error, content);
    const held = fallback.release();
    if (failure !== null) result.error = failure;
    else if (held.length > 0) await send(held);
  }
  result.responseStartedAtMs = result.firstTokenAtMs;
  return withKnownFacts(exchange, result, { facts, textBytes: () => text.bytes, outputLimit });
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

const noText: TextCounter = { add() {}, bytes: 0 };

function textCounterOf({ parsed }: Readonly<Exchange>): TextCounter {
  return parsed?.createTextCounter?.() ?? noText;
}
