/** Exchanges with Anthropic's protocol without a network. */

import { createAnthropicProtocol } from '#lambdas/inference/providers/anthropic/protocol.ts';
import { type JsonObject, objectsIn } from '#lambdas/platform/json/json.ts';
import { callProvider, providerCall, readBody, readStream, type ScriptedResponse } from '../provider-call.ts';
import { anthropicEvent } from './anthropic-protocol.ts';

const anthropic = { name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' };

/** `request` in OpenAI's format; its model needs no prefix. */
export function callAnthropic(
  request: Record<string, unknown>,
  {
    reply,
    callerHeaders = {},
  }: { reply?: ScriptedResponse; callerHeaders?: Record<string, string | undefined> } = {},
) {
  const call = providerCall({ model: 'claude-haiku-4-5', ...request }, { callerHeaders });
  return callProvider(createAnthropicProtocol, anthropic, { call, reply });
}

/** What becomes of a whole answer: a message, or its text where numbers have digits of their own. */
export async function completionFor(message: JsonObject | string) {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const reply = { body: [text], headers: { 'content-type': 'application/json' } };
  const { text: completion, facts } = await readBody(await callAnthropic({}, { reply }));
  const { id, model, choices, usage } = JSON.parse(completion);
  const [{ message: said, finish_reason }] = choices;
  return { id, model, message: said, finishReason: finish_reason, usage, facts };
}

/** What becomes of a streamed answer: its events, or the bytes in which they come. */
export async function streamFor(events: readonly JsonObject[] | readonly Buffer[]) {
  const body = events.map((event) => (Buffer.isBuffer(event) ? event : anthropicEvent(event)));
  const request = { stream: true, stream_options: { include_usage: true } };
  const { text, deltas, assembled, facts } = await readStream(
    await callAnthropic(request, { reply: { body } }),
  );
  const { id, model, choices, usage, done } = assembled;
  const blocks = deltas.flatMap((delta) => objectsIn(delta.thinking_blocks));
  const message = { ...choices[0]?.message, ...(blocks.length > 0 && { thinking_blocks: blocks }) };
  return { id, model, message, finishReason: choices[0]?.finish_reason ?? null, usage, text, done, facts };
}
