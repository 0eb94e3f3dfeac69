/** Answers that go on after a finish reason must not be cut there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { assembleStream } from '#test/support/openai-schema/validate.ts';
import {
  type EarlyFinish,
  earlyFinishes,
  earlyFinishText,
} from '#test/support/providers/dialects/early-finishes.ts';
import { responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

function bytesOf({ protocol, events }: EarlyFinish): Buffer[] {
  const { encode, terminator } = responseFormats[protocol];
  return [...events.map(encode), Buffer.from(terminator ?? '')];
}

function reasoningIn(text: string, stream: boolean): unknown {
  const choices = stream ? assembleStream(text).choices : parseJsonObject(text)?.choices;
  const [choice] = Array.isArray(choices) ? choices.filter(isJsonObject) : [];
  return objectOrEmpty(choice?.message).reasoning_content;
}

async function expectWhole(dialect: EarlyFinish, stream: boolean): Promise<void> {
  const { protocol, reasoning, calls = [] } = dialect;
  const respond = streamResponse(bytesOf(dialect));
  const { caller, text, entry } = await gateway.ask({ protocol, stream, respond });
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  expect(caller).toMatchObject({
    status: 200,
    content: earlyFinishText,
    calls,
    finish,
    usage: { prompt_tokens: 19, completion_tokens: 5 },
    error: null,
    done: true,
  });
  expect(reasoningIn(text, stream)).toBe(reasoning);
  expect(entry).toMatchObject({
    outcome: 'completed',
    finish_reason: finish,
    usage_source: 'provider',
    input_tokens: 19,
    output_tokens: 5,
    cost_usd: responseFormats[protocol].costUsd,
  });
}

describe.each([
  ['stream', true],
  ['completion', false],
] as const)('For a caller who asked for a %s', (_, stream) => {
  it.each(Object.entries(earlyFinishes))('the answer goes on after a finish reason %s', (_, dialect) =>
    expectWhole(dialect, stream),
  );
});
