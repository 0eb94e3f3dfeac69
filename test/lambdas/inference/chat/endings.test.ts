/** Answers whose stream ends in another way than the protocol says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  exampleCompletion,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import {
  controlledStream,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const never = 60_000;
const endings = ['hang', 'close', 'complete'] as const;
const forms = [
  ['stream', true],
  ['completion', false],
] as const;

/** With usage, only `closeGraceMs` may pass; without it, only `finishGraceMs`. */
let withUsage: DialectGateway;
let withoutUsage: DialectGateway;
beforeAll(async () => {
  withUsage = await startDialectGateway({ closeGraceMs: 20, finishGraceMs: never });
  withoutUsage = await startDialectGateway({ closeGraceMs: never, finishGraceMs: 20, idleMs: 100 });
  // The first response of a protocol loads its reader, which takes longer than these providers keep the connection.
  for (const protocol of protocols) {
    const respond = jsonResponse(responseFormats[protocol].whole(exampleCompletion));
    await withUsage.ask({ protocol, stream: true, respond });
  }
});
afterAll(() => Promise.all([withUsage.stop(), withoutUsage.stop()]));

/** The events up to the finish reason and the usage, without the terminator. */
function eventsOf(protocol: Protocol): Buffer {
  const { events, encode } = responseFormats[protocol];
  return Buffer.concat(events(exampleCompletion).map(encode));
}

type Json = Record<string, unknown>;

/** The same without usage. */
function eventsWithoutUsage(protocol: Protocol): Buffer {
  const { events, encode } = responseFormats[protocol];
  const known = events(exampleCompletion).flatMap((data): Json[] => {
    if (Array.isArray(data.choices) && data.choices.length === 0) return [];
    if ('metadata' in data) return [];
    const { usage: _, usageMetadata: __, ...rest } = data;
    if (rest.type === 'message_start')
      return [{ ...rest, message: { ...(rest.message as Json), usage: {} } }];
    return [rest];
  });
  return Buffer.concat(known.map(encode));
}

const wholeResponse = {
  status: 200,
  content: 'Hello there',
  finish: 'stop',
  error: null,
  done: true,
};
const completed = { status: 200, outcome: 'completed', finish_reason: 'stop', error_code: null };
const reported = { ...completed, usage_source: 'provider', input_tokens: 19, output_tokens: 5 };
/** Nine and eleven bytes of text. */
const estimated = { ...completed, usage_source: 'estimated', input_tokens: 3, output_tokens: 3 };

describe.each(protocols)('An answer of %s without a terminator', (protocol) => {
  describe.each(forms)('for a caller who asked for a %s', (_, stream) => {
    it.each(endings)('is complete with its usage, whatever the connection does (%s)', async (ending) => {
      const respond = streamResponse([eventsOf(protocol)], { ending });
      const { caller, entry } = await withUsage.ask({ protocol, stream, respond });
      expect(caller).toMatchObject({ ...wholeResponse, usage: { prompt_tokens: 19, completion_tokens: 5 } });
      expect(entry).toMatchObject({ ...reported, cost_usd: responseFormats[protocol].costUsd });
    });

    it.each(['hang', 'close'] as const)('is complete with estimated usage (%s)', async (ending) => {
      const respond = streamResponse([eventsWithoutUsage(protocol)], { ending });
      const { caller, entry } = await withoutUsage.ask({ protocol, stream, respond });
      expect(caller).toMatchObject(wholeResponse);
      expect(entry).toMatchObject(estimated);
    });

    it('is complete without usage if the provider ended it', async () => {
      const respond = streamResponse([eventsWithoutUsage(protocol)]);
      const { caller, entry } = await withoutUsage.ask({ protocol, stream, respond });
      expect(caller).toMatchObject(wholeResponse);
      expect(entry).toMatchObject({ ...completed, usage_source: 'estimated' });
    });
  });

  it.each([
    ['with usage', eventsOf, reported],
    ['without usage', eventsWithoutUsage, estimated],
  ] as const)('is complete after a reset, %s', async (_, bytes, entry) => {
    const upstream = controlledStream();
    const gateway = entry === reported ? withUsage : withoutUsage;
    const asking = gateway.ask({
      protocol,
      stream: true,
      respond: upstream.respond,
      onStart: () => upstream.disconnect('reset'),
    });
    await upstream.write(bytes(protocol));
    expect(await asking).toMatchObject({ caller: wholeResponse, entry });
  });
});

describe('A stream without a finish reason', () => {
  const text = event(deltaChunk({ role: 'assistant', content: 'Hello there' }));

  it.each(forms)('is complete if it ends with [DONE], for a caller who asked for a %s', async (_, stream) => {
    const respond = streamResponse([text, doneEvent], { ending: 'hang' });
    const { caller, entry } = await withoutUsage.ask({ protocol: 'openai', stream, respond });
    expect(caller).toMatchObject(wholeResponse);
    expect(entry).toMatchObject(completed);
  });

  it.each(endings)('is an error without [DONE] (%s)', async (ending) => {
    for (const stream of [true, false]) {
      const respond = streamResponse([text], { ending });
      const { caller, entry } = await withoutUsage.ask({ protocol: 'openai', stream, respond });
      const [failure, code, outcome] =
        ending === 'hang' ? [504, 'provider_timeout', 'timeout'] : [502, 'provider_error', 'provider_error'];
      expect(caller).toMatchObject({ status: stream ? 200 : failure, error: { code }, done: false });
      expect(entry).toMatchObject({ outcome, error_code: code, usage_source: 'estimated', output_tokens: 3 });
    }
  });

  it('is not complete while one of the requested choices has none', async () => {
    const respond = streamResponse(
      [event(deltaChunk({ role: 'assistant', content: 'Hello there' })), event(deltaChunk({}, 'stop'))],
      { ending: 'hang' },
    );
    const { caller, entry } = await withoutUsage.ask({
      protocol: 'openai',
      stream: true,
      respond,
      fields: { n: 2 },
    });
    expect(caller).toMatchObject({ status: 200, error: { code: 'provider_timeout' }, done: false });
    expect(entry).toMatchObject({ outcome: 'timeout', usage_source: 'estimated' });
  });
});

it.each(protocols)("OpenAI's client ends a stream of %s that the provider leaves open", async (protocol) => {
  const client = await withUsage.client();
  withUsage.script(streamResponse([eventsOf(protocol)], { ending: 'hang' }));

  const stream = client.chat.completions.stream({
    model: responseFormats[protocol].model,
    messages: [{ role: 'user', content: 'Say hello' }],
  });

  expect(await stream.finalContent()).toBe('Hello there');
});
