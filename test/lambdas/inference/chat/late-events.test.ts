/** Events after the finish reason. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { type HeartbeatClock, startHeartbeatClock } from '#test/support/chat/heartbeat-clock.ts';
import {
  exampleCompletion,
  exampleResult,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

/** Usage may come much later than `closeGraceMs` after the finish reason, but not than `finishGraceMs`. */
const [tickMs, closeGraceMs, finishGraceMs] = [20, 60, 60_000];

let gateway: DialectGateway;
let clock: HeartbeatClock;
beforeAll(async () => {
  gateway = await startDialectGateway({ closeGraceMs, finishGraceMs, heartbeatMs: tickMs });
  clock = await startHeartbeatClock(tickMs);
});
afterAll(() => Promise.all([gateway.stop(), clock.stop()]));

const ask = (protocol: Protocol, stream: boolean, chunks: Iterable<Buffer> | AsyncIterable<Buffer>) =>
  gateway.ask({ protocol, stream, respond: streamResponse(chunks, { ending: 'hang' }) });

describe('Usage', () => {
  /** The last event has the usage, and the one before it the finish reason. */
  it.each(['openai', 'bedrock'] as const)('of %s may come late', async (protocol) => {
    const { events, encode } = responseFormats[protocol];
    const encoded = events(exampleCompletion).map(encode);
    for (const stream of [true, false]) {
      const slowly = async function* () {
        yield* encoded.slice(0, -1);
        for (let ticks = 0; ticks < 8; ticks++) await clock.tick();
        yield* encoded.slice(-1);
      };
      expect(await ask(protocol, stream, slowly())).toMatchObject(exampleResult);
    }
  });
});

describe('After the last event', () => {
  it.each(protocols)('of %s, nothing is sent while the connection stays open', async (protocol) => {
    const { events, encode, terminator } = responseFormats[protocol];
    const sent = [...events(exampleCompletion).map(encode), Buffer.from(terminator ?? '')];
    const { text, caller } = await ask(protocol, true, sent);
    expect(caller).toMatchObject(exampleResult.caller);
    expect(text.endsWith(doneEvent)).toBe(true);
  });

  it.each([
    ['another end', doneEvent],
    ['text', event(deltaChunk({ content: 'More' }))],
    ['an error', event({ error: { message: 'Too late' } })],
    ['comments', ': wait\n\n'.repeat(3)],
    ['data that is not JSON', 'data: bye\n\n'],
  ])('%s is ignored', async (_, late) => {
    const { events, encode } = responseFormats.openai;
    for (const stream of [true, false]) {
      const sent = [...events(exampleCompletion).map(encode), Buffer.from(doneEvent + late)];
      const { text, caller, entry } = await ask('openai', stream, sent);
      expect({ caller, entry }).toMatchObject(exampleResult);
      expect(text).not.toMatch(/More|Too late|bye/);
    }
  });
});

describe('Data that is not JSON', () => {
  const unreadable = Buffer.from('data: bye\n\n');

  it.each(['openai', 'anthropic', 'google'] as const)(
    'is ignored after the finish reason of %s',
    async (protocol) => {
      const { events, encode } = responseFormats[protocol];
      for (const stream of [true, false]) {
        const sent = [...events(exampleCompletion).map(encode), unreadable];
        expect(await ask(protocol, stream, sent)).toMatchObject(exampleResult);
      }
    },
  );

  it.each(['openai', 'anthropic', 'google'] as const)(
    'is an error before the finish reason of %s',
    async (protocol) => {
      const { events, encode } = responseFormats[protocol];
      const sent = events(exampleCompletion).map(encode).toSpliced(1, 0, unreadable);
      const message = `The provider ${protocol} sent an event that is not a JSON object`;
      for (const stream of [true, false]) {
        const { caller, entry } = await ask(protocol, stream, sent);
        expect(caller).toMatchObject({ error: { message, code: 'provider_error' }, done: false });
        expect(entry).toMatchObject({ outcome: 'provider_error', error_code: 'provider_error' });
      }
    },
  );
});
