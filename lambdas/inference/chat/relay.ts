/** Brings a provider's answer to the caller, and notes in the draft what the log needs of it. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { StreamedResponse } from '#lambdas/platform/http/streamed-response.ts';
import type { TakePiece } from '../providers/http/client.ts';
import { gatherBytes, largestEventBytes, sseEvent } from '../providers/http/sse.ts';
import type { Answer, Provider, StreamFacts } from '../providers/provider.ts';
import { createTextCounter, estimateOf, type TextCounter } from './estimate.ts';
import type { LogDraft } from './log-record.ts';

export interface Relay {
  provider: Pick<Provider, 'name'>;
  response: StreamedResponse;
  /** For every answer to the caller: which provider, and the ids of the request. */
  headers: Record<string, string>;
  draft: LogDraft;
  now(): Date;
}

/** Whole answers are sent when they are whole, so that one that breaks off is an error and no half answer. */
export async function relayAnswer(
  { response, headers, draft }: Relay,
  { body, facts, problem = null }: Answer,
): Promise<void> {
  draft.facts = facts;
  if (problem !== null) throw problem;
  if (response.callerGone) return;
  response.start(200, { ...headers, 'content-type': 'application/json' });
  await response.end(body);
}

/** A stream in OpenAI's format, and what is known of it so far. */
interface AnswerStream {
  read(take: TakePiece): Promise<void>;
  facts: StreamFacts;
}

/**
 * Sends status and headers with the provider's first event: until then, what goes wrong is an HTTP error. After it,
 * an error is an event of its own, and the stream ends without `[DONE]`.
 */
export async function relayStream(relay: Relay, stream: AnswerStream): Promise<void> {
  const { provider, response, draft } = relay;
  const { facts } = stream;
  const text = createTextCounter();
  draft.facts = facts;
  try {
    await pump(relay, stream, text);
    if (facts.problem !== null) throw facts.problem;
    if (!facts.complete) {
      throw new GatewayError('provider_error', { message: `The stream of ${provider.name} broke off` });
    }
  } catch (error) {
    noteEstimate(draft, facts, text);
    // What was read until then is all that the log will know, and nobody is left to be told.
    if (response.callerGone) return;
    if (response.status === null || !(error instanceof GatewayError)) throw error;
    draft.error = error;
    await response.write(sseEvent(error.toBody()));
  }
}

/** Before its stream is over, what a provider tells of its usage is at best what it was until then. */
function noteEstimate(draft: LogDraft, facts: StreamFacts, text: TextCounter): void {
  const estimate = estimateOf({ facts, textBytes: text.bytes, request: draft.request });
  if (estimate === null) return;
  draft.facts = estimate;
  draft.isEstimated = true;
}

/** When the caller has gone, the reading goes on for the sake of the usage; the watch says how far. */
function pump(relay: Relay, { read, facts }: AnswerStream, text: TextCounter): Promise<void> {
  const { response } = relay;
  const held = gatherBytes();
  return read((bytes) => {
    text.add(bytes);
    if (response.status !== null) return response.write(bytes);
    if (response.callerGone) return undefined;
    // Comments may come long before the answer does.
    held.add(bytes);
    if (facts.started) return begin(relay, held.take());
    if (held.length > largestEventBytes) throw withoutAnswer(relay);
    return undefined;
  });
}

function withoutAnswer({ provider }: Relay): GatewayError {
  return new GatewayError('provider_error', {
    message: `The stream of ${provider.name} had no answer in it`,
  });
}

function begin({ response, headers, draft, now }: Relay, bytes: Buffer): Promise<void> | undefined {
  draft.firstTokenAtMs = now().getTime();
  response.start(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  return response.write(bytes);
}
