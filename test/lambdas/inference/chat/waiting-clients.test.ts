/** OpenAI's client reads what the gateway sends while a provider keeps it waiting. */
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { type HeartbeatClock, startHeartbeatClock } from '#test/support/chat/heartbeat-clock.ts';
import {
  exampleCompletion,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { errorEvent } from '#test/support/providers/openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';

const heartbeatMs = 20;

let gateway: DialectGateway;
let clock: HeartbeatClock;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startDialectGateway({ heartbeatMs, commentDelayMs: 5, closeGraceMs: 20 });
  clock = await startHeartbeatClock(heartbeatMs);
  client = await gateway.client();
});
afterAll(() => Promise.all([gateway.stop(), clock.stop()]));

/** Responds after some heartbeats. */
const late =
  (respond: Respond): Respond =>
  async (exchange) => {
    for (let ticks = 0; ticks < 4; ticks++) await clock.tick();
    await respond(exchange);
  };

async function* withComments(events: readonly (Buffer | string)[]) {
  for (const event of events) {
    yield ': wait\n\n';
    await clock.tick();
    yield event;
  }
}

const streamOf = (protocol: Protocol) =>
  client.chat.completions.stream({
    model: responseFormats[protocol].model,
    messages: [{ role: 'user', content: 'Say hello' }],
  });

describe.each(protocols)("OpenAI's client of %s", (protocol) => {
  const { events, encode, whole } = responseFormats[protocol];

  it('reads a stream and a completion that come late', async () => {
    for (const respond of [
      streamResponse(events(exampleCompletion).map(encode)),
      jsonResponse(whole(exampleCompletion)),
    ]) {
      gateway.script(late(respond));
      expect(await streamOf(protocol).finalContent()).toBe('Hello there');
    }
  });

  it('throws an error that comes late', async () => {
    const body = { error: { message: 'No capacity' }, message: 'No capacity' };
    gateway.script(late(jsonResponse(body, { status: 503, headers: { 'retry-after': '0' } })));
    await expect(streamOf(protocol).finalContent()).rejects.toThrow('No capacity');
  });
});

describe("Between a provider's comments, OpenAI's client", () => {
  it.each(['openai', 'anthropic', 'google'] as const)('reads each event of %s', async (protocol) => {
    const { events, encode, terminator } = responseFormats[protocol];
    const sent = [...events(exampleCompletion).map(encode), terminator ?? ''];
    gateway.script(streamResponse(withComments(sent)));
    expect(await streamOf(protocol).finalContent()).toBe('Hello there');
  });

  it('throws an error', async () => {
    gateway.script(streamResponse(withComments([errorEvent({ message: 'No capacity', code: 503 })])));
    await expect(streamOf('openai').finalContent()).rejects.toThrow('No capacity');
  });
});
