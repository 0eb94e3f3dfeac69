/** Brings a provider's answer to the caller, and notes in the draft what the log needs of it. */
import type { ChatRequest } from '../shared/domain/chat-request.ts';
import { GatewayError } from '../shared/domain/gateway-error.ts';
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import type { HttpReply } from '../shared/providers/http-transport.ts';
import type { Provider, StreamReader } from '../shared/providers/provider.ts';
import { sseEvent } from '../shared/providers/sse.ts';
import type { ChatLimits } from './limits.ts';
import type { LogDraft } from './log-draft.ts';

export interface Relay {
  provider: Provider;
  request: ChatRequest;
  reply: HttpReply;
  response: StreamedResponse;
  /** For every answer to the caller: which provider, and the ids of the request. */
  headers: Record<string, string>;
  draft: LogDraft;
  limits: ChatLimits;
  now(): Date;
}

/** Whole answers are sent when they are whole, so that one that breaks off is an error and no half answer. */
export async function relayAnswer({
  provider,
  reply,
  response,
  headers,
  draft,
  limits,
}: Relay): Promise<void> {
  const { body, facts } = provider.readAnswer(await readWhole(reply, limits.answerBytes));
  draft.facts = facts;
  if (response.callerGone) return;
  response.start(200, { ...headers, 'content-type': 'application/json' });
  await response.write(body);
}

/**
 * Sends status and headers with the provider's first event: until then, what goes wrong is an HTTP error. After it,
 * an error is an event of its own, and the stream ends without `[DONE]`.
 */
export async function relayStream(relay: Relay): Promise<void> {
  const { provider, response, draft } = relay;
  const reader = provider.createStreamReader(relay.request);
  draft.facts = reader.facts;
  try {
    await pump(relay, reader);
    const { problem, complete } = reader.facts;
    if (problem !== null) throw problem;
    if (!complete) {
      throw new GatewayError('provider_error', { message: `The stream of ${provider.name} broke off` });
    }
  } catch (error) {
    // What was read until then is all that the log will know, and nobody is left to be told.
    if (response.callerGone) return;
    if (response.status === null || !(error instanceof GatewayError)) throw error;
    draft.error = error;
    await response.write(sseEvent(error.toBody()));
  }
}

async function pump(relay: Relay, reader: StreamReader): Promise<void> {
  const { reply, response, limits } = relay;
  let held = Buffer.alloc(0);
  let drained = 0;
  for await (const chunk of reply.body) {
    const bytes = reader.push(chunk);
    if (response.callerGone) {
      drained += chunk.length;
      if (drained > limits.drainBytes) return;
    } else if (response.status !== null) await response.write(bytes);
    else {
      // Comments may come long before the answer does.
      held = Buffer.concat([held, bytes]);
      if (reader.facts.started) await begin(relay, held);
    }
    if (reader.facts.problem !== null) return;
  }
  const rest = reader.end();
  if (response.status !== null) await response.write(rest);
  else if (reader.facts.started && !response.callerGone) await begin(relay, Buffer.concat([held, rest]));
}

async function begin({ response, headers, reply, draft, now }: Relay, bytes: Buffer): Promise<void> {
  draft.firstTokenAtMs = now().getTime();
  response.start(200, {
    ...headers,
    'content-type': reply.headers['content-type'] ?? 'text/event-stream',
    'cache-control': 'no-cache',
  });
  await response.write(bytes);
}

/** Throws a `GatewayError` when the answer is larger than that. */
export async function readWhole(reply: HttpReply, largestBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > largestBytes) {
      throw new GatewayError('provider_error', { message: 'The provider sent an answer that is too large' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
