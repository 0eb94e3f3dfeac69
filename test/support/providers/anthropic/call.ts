/** Calls Anthropic's protocol without a network. */

import { createAnthropicProtocol } from '#lambdas/inference/providers/anthropic/protocol.ts';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import { callProvider, providerCall, readBody, readStream, type ScriptedResponse } from '../provider-call.ts';
import { anthropicEvent } from './message-events.ts';

const anthropic = { name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' };

/** `request` is in OpenAI's format; its model needs no provider prefix. */
export function callAnthropic(
  request: Record<string, unknown>,
  {
    response,
    callerHeaders = {},
  }: { response?: ScriptedResponse; callerHeaders?: Record<string, string | undefined> } = {},
) {
  const call = providerCall({ model: 'claude-haiku-4-5', ...request }, { callerHeaders });
  return callProvider(createAnthropicProtocol, anthropic, { call, response });
}

/** Pass JSON text to preserve the digits of its numbers. */
export async function completionFor(message: JsonObject | string, request: Record<string, unknown> = {}) {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const response = { body: [text], headers: { 'content-type': 'application/json' } };
  const { text: completion, facts, error } = await readBody(await callAnthropic(request, { response }));
  if (error !== null) throw error;
  const { id, model, choices, usage } = JSON.parse(completion);
  const [{ message: translated, finish_reason }] = choices;
  return { id, model, message: translated, finishReason: finish_reason, usage, facts };
}

export async function streamFor(
  events: readonly JsonObject[] | readonly Buffer[],
  fields: Record<string, unknown> = {},
) {
  const body = events.map((event) => (Buffer.isBuffer(event) ? event : anthropicEvent(event)));
  const request = { ...fields, stream: true, stream_options: { include_usage: true } };
  const { text, deltas, assembled, facts } = await readStream(
    await callAnthropic(request, { response: { body } }),
  );
  const { id, model, choices, usage, done } = assembled;
  const blocks = deltas.flatMap((delta) => filterObjects(delta.thinking_blocks));
  const message = { ...choices[0]?.message, ...(blocks.length > 0 && { thinking_blocks: blocks }) };
  return { id, model, message, finishReason: choices[0]?.finish_reason ?? null, usage, text, done, facts };
}
