/** Exchanges with Anthropic's protocol without a network. */

import { createAnthropicProtocol } from '#lambdas/inference/providers/anthropic/protocol.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { assembleStream } from '#test/support/openai-schema/openai-assembly.ts';
import { exchange, providerCall, type ScriptedReply, translatedPieces } from '../provider-call.ts';
import { eventData } from '../sse-events.ts';
import { anthropicEvent } from './anthropic-protocol.ts';

/** `request` in OpenAI's format; its model needs no prefix. */
export async function askAnthropic(
  request: Record<string, unknown>,
  {
    reply,
    callerHeaders,
  }: { reply?: ScriptedReply; callerHeaders?: Record<string, string | undefined> } = {},
) {
  const { anthropic: entry } = providerCatalog;
  if (entry === undefined) throw new Error('Anthropic is not in the catalog');
  const baseUrl = 'https://api.anthropic.com/v1';
  const prepare = createAnthropicProtocol({
    name: 'anthropic',
    baseUrl,
    region: null,
    entry,
    aws: exampleCaller,
  });
  const call = providerCall({ model: 'claude-haiku-4-5', ...request }, callerHeaders && { callerHeaders });
  const exchanged = await exchange(prepare, call, reply);
  return { ...exchanged, body: JSON.parse(exchanged.outgoing.body) };
}

/** What becomes of a whole answer: a message, or its text where numbers have digits of their own. */
export async function wholeAnswer(message: JsonObject | string) {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const headers = { 'content-type': 'application/json' };
  const { reply } = await askAnthropic({}, { reply: { body: [text], headers } });
  if (reply.kind !== 'completion') throw new Error(`Expected an answer, not a ${reply.kind}`);
  const { body, facts } = await reply.read();
  const { id, model, choices, usage } = JSON.parse(body.toString('utf8'));
  const [{ message: said, finish_reason }] = choices;
  return { id, model, message: said, finishReason: finish_reason, usage, facts };
}

/** What becomes of a streamed answer: its events, or the bytes in which they come. */
export async function streamedAnswer(events: readonly JsonObject[] | readonly Buffer[]) {
  const body = events.map((event) => (Buffer.isBuffer(event) ? event : anthropicEvent(event)));
  const request = { stream: true, stream_options: { include_usage: true } };
  const { reply } = await askAnthropic(request, { reply: { body } });
  if (reply.kind !== 'stream') throw new Error(`Expected a stream, not a ${reply.kind}`);
  const chunks = await translatedPieces(reply);
  const text = Buffer.concat(chunks).toString('utf8');
  const { id, model, choices, usage, done } = assembleStream(text);
  const [choice] = choices;
  const blocks = thinkingBlocksIn(text);
  const message = { ...choice?.message, ...(blocks.length > 0 && { thinking_blocks: blocks }) };
  return {
    ...{ id, model, message, finishReason: choice?.finish_reason ?? null, usage },
    ...{ text, done, facts: reply.reader.facts },
  };
}

function thinkingBlocksIn(text: string): unknown[] {
  const chunks = eventData(text).map(parseJsonObject);
  return chunks.flatMap((chunk) => {
    const [choice] = Array.isArray(chunk?.choices) ? chunk.choices : [];
    const blocks = isJsonObject(choice) && isJsonObject(choice.delta) ? choice.delta.thinking_blocks : [];
    return Array.isArray(blocks) ? blocks : [];
  });
}
