/** Comments keep callers connected who wait for a stream. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatCall, ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { streamProblems } from '#test/support/openai-schema/validate.ts';
import {
  exampleCompletion,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { errorEvent } from '#test/support/providers/openai/events.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import {
  controlledStream,
  type Exchange,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const comment = ': ping\n\n';
const never = 60_000;

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

/** Only the provider's comments reach the caller, or only the gateway's heartbeats. */
const onlyComments = { heartbeatMs: 0, commentDelayMs: 20, closeGraceMs: 20, finishGraceMs: 20 };
const onlyHeartbeats = { heartbeatMs: 20, commentDelayMs: never, closeGraceMs: 20, finishGraceMs: 20 };

const setUp = (limits: object) => fixture.setUp({ providers: protocols, limits });

function requestTo(protocol: Protocol, gateway: ChatHandlerFixture, stream = true) {
  const messages = [{ role: 'user', content: 'Say hello' }];
  return gateway.event({ model: responseFormats[protocol].model, messages, stream });
}

function bytesOf(protocol: Protocol): Buffer {
  const { events, encode, terminator } = responseFormats[protocol];
  return Buffer.concat([...events(exampleCompletion).map(encode), Buffer.from(terminator ?? '')]);
}

/** Reads the body step by step. */
function readerOf({ body }: ChatCall) {
  const chunks = body[Symbol.asyncIterator]();
  let received = '';
  const until = async (isEnough: (text: string) => boolean) => {
    while (!isEnough(received)) {
      const { value, done } = await chunks.next();
      if (done) break;
      received += value;
    }
    return received;
  };
  return {
    untilComments: (count: number) => until((text) => text.split(comment).length > count),
    toEnd: () => until(() => false),
  };
}

const textOf = (events: string) =>
  eventData(events)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
    .join('');

/** Responds when the test says so. */
function delayed(respond: Respond) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    release: resolve,
    respond: async (exchange: Exchange) => {
      await promise;
      await respond(exchange);
    },
  };
}

describe("A provider's comment before its first event", () => {
  it.each<[Protocol, string]>([
    ['openai', ': OPENROUTER PROCESSING\n\n'],
    ['openai', ':\n\n'],
    ['openai', 'event: ping\ndata: {}\n\n'],
    ['anthropic', 'event: ping\ndata: {"type": "ping"}\n\n'],
    ['anthropic', ': wait\n\n'],
    ['google', ': wait\n\n'],
  ])('of %s reaches the caller with the headers: %j', async (protocol, sent) => {
    const { upstream, gateway } = await setUp(onlyComments);
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(requestTo(protocol, gateway));
    await stream.write(sent);

    const call = await calling;
    expect([call.status, call.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await stream.write(bytesOf(protocol));
    await stream.end();
    const text = await readerOf(call).toEnd();
    await call.invocation;

    expect(text.startsWith(sent.startsWith(':') && protocol === 'openai' ? sent : comment)).toBe(true);
    expect(streamProblems(text)).toEqual([]);
    expect(textOf(text)).toBe('Hello there');
    expect(await gateway.entries()).toMatchObject([{ status: 200, outcome: 'completed', output_tokens: 5 }]);
  });

  it('is not yet sent when an error follows at once', async () => {
    const { upstream, gateway } = await setUp({ ...onlyComments, commentDelayMs: never });
    upstream.script(streamResponse([comment, errorEvent({ message: 'No capacity', code: 503 })]));
    const call = await gateway.call(requestTo('openai', gateway));
    expect([call.status, JSON.parse(await readerOf(call).toEnd()).error.message]).toEqual([
      503,
      'No capacity',
    ]);
  });

  it.each(['reset', 'close'] as const)(
    'makes a later failure an error event, without a retry (%s)',
    async (how) => {
      const { upstream, gateway } = await setUp({ ...onlyComments, retries: 3 });
      const stream = controlledStream();
      upstream.script(stream.respond);
      const calling = gateway.call(requestTo('openai', gateway));
      await stream.write(comment);
      const call = await calling;
      await stream.disconnect(how);
      const text = await readerOf(call).toEnd();
      await call.invocation;

      expect(text.startsWith(comment)).toBe(true);
      expect(streamProblems(text)).toEqual([]);
      expect(eventData(text).map((data) => JSON.parse(data).error.code)).toEqual(['provider_error']);
      expect(upstream.requests).toHaveLength(1);
      expect(await gateway.entries()).toMatchObject([
        { status: 200, outcome: 'provider_error', error_code: 'provider_error', retries: null },
      ]);
    },
  );

  it('makes a later error of the provider an error event', async () => {
    const { upstream, gateway } = await setUp(onlyComments);
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(requestTo('openai', gateway));
    await stream.write(comment);
    const call = await calling;
    await stream.write(errorEvent({ message: 'No capacity', code: 503 }));
    const text = await readerOf(call).toEnd();
    await call.invocation;

    expect(text).toBe(
      `${comment}data: {"error":{"message":"No capacity","type":"api_error","param":null,"code":"provider_unavailable"}}\n\n`,
    );
    expect(await gateway.entries()).toMatchObject([{ status: 200, outcome: 'provider_error' }]);
  });
});

describe('A heartbeat', () => {
  it.each(protocols)('reaches the caller while %s has sent nothing', async (protocol) => {
    const { upstream, gateway } = await setUp(onlyHeartbeats);
    const completion = delayed(streamResponse([bytesOf(protocol)]));
    upstream.script(completion.respond);
    const call = await gateway.call(requestTo(protocol, gateway));
    expect([call.status, call.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const reader = readerOf(call);
    await reader.untilComments(3);
    completion.release();
    const text = await reader.toEnd();
    await call.invocation;

    expect(text.startsWith(comment.repeat(3))).toBe(true);
    expect(streamProblems(text)).toEqual([]);
    expect(textOf(text)).toBe('Hello there');
    expect(await gateway.entries()).toMatchObject([{ status: 200, outcome: 'completed', output_tokens: 5 }]);
  });

  it('comes between complete events only', async () => {
    const { upstream, gateway } = await setUp(onlyHeartbeats);
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(requestTo('openai', gateway));
    const bytes = bytesOf('openai');
    const middle = bytes.indexOf('there') + 2;
    await stream.write(bytes.subarray(0, middle));
    const reader = readerOf(await calling);
    await reader.untilComments(2);
    await stream.write(bytes.subarray(middle));
    await stream.end();
    const text = await reader.toEnd();

    expect(streamProblems(text)).toEqual([]);
    expect(text.split(/(?<=\n\n)/).filter((part) => !part.startsWith('data: '))).toEqual(
      expect.arrayContaining([comment, comment]),
    );
    expect(textOf(text)).toBe('Hello there');
  });

  it.each([
    [429, 'rate_limit_exceeded'],
    [503, 'provider_unavailable'],
    [400, 'provider_rejected_request'],
  ])('makes a status of %i an error event, without a retry', async (status, code) => {
    const { upstream, gateway } = await setUp({ ...onlyHeartbeats, retries: 3 });
    const body = { error: { message: 'Not now' } };
    const failure = delayed(jsonResponse(body, { status, headers: { 'retry-after': '0' } }));
    upstream.script(failure.respond);
    const call = await gateway.call(requestTo('openai', gateway));
    const reader = readerOf(call);
    await reader.untilComments(1);
    failure.release();
    const text = await reader.toEnd();
    await call.invocation;

    expect(eventData(text).map((data) => JSON.parse(data).error)).toMatchObject([
      { message: 'Not now', code },
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(await gateway.entries()).toMatchObject([
      { status: 200, outcome: 'provider_error', error_code: code, retries: null },
    ]);
  });

  it('is sent neither for a completion nor when it is off', async () => {
    const beating = await setUp(onlyHeartbeats);
    const silent = await setUp({ ...onlyHeartbeats, heartbeatMs: 0 });
    const completions = [1, 2, 3].map(() => delayed(streamResponse([bytesOf('openai')])));
    const [first, second, third] = completions;
    beating.upstream.script(first?.respond ?? (() => {}));
    const clock = readerOf(await beating.gateway.call(requestTo('openai', beating.gateway)));
    beating.upstream.script(second?.respond ?? (() => {}));
    const whole = beating.gateway.call(requestTo('openai', beating.gateway, false));
    silent.upstream.script(third?.respond ?? (() => {}));
    const stream = silent.gateway.call(requestTo('openai', silent.gateway));
    await clock.untilComments(8);
    for (const { release } of completions) release();

    const body = JSON.parse(await readerOf(await whole).toEnd());
    expect(body.choices[0].message.content).toBe('Hello there');
    const events = await readerOf(await stream).toEnd();
    expect(events).toMatch(/^data: /);
    expect(events).not.toContain(comment);
    await clock.toEnd();
  });
});
