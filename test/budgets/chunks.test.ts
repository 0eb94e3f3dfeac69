/**
 * What the chat function as it is deployed does with each piece of a stream, counted. A long answer has thousands of them.
 *
 * When one of these fails, every piece has more work done on it, or less: what is more has to be worth it, measured with
 * `npm run bench`, and what is less is written down here.
 */
import { createHook } from 'node:async_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildChatCopies, type ChatCopies } from '../support/chat-copies.ts';
import {
  FakeClientResponse,
  type FakeIncomingMessage,
  fakeNetwork,
  type ProviderResponse,
} from '../support/fake-network.ts';
import { closingChunks, completionBody, openingChunks, textChunks } from '../support/stream-chunks.ts';

const nowhere = 'http://127.0.0.1:9';
const whole = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const streamed = { ...whole, stream: true, stream_options: { include_usage: true } };

let copies: ChatCopies;
beforeAll(() => {
  copies = buildChatCopies();
});
afterAll(() => copies.remove());

const cleanups: (() => void)[] = [];
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** What a caller was given of an answer of the provider's. */
async function writtenOf(body: object, answer: ProviderResponse): Promise<Buffer[]> {
  const network = fakeNetwork(() => answer);
  cleanups.push(network.stop);
  const { chat } = copies.start({ upstream: nowhere, aws: nowhere });
  const caller = new FakeClientResponse();
  await chat({ body, caller });
  return caller.written;
}

/** What was written of `pieces`, amidst a stream, and the work that they were. */
async function relay(pieces: Buffer[]) {
  let work: Record<string, number> = {};
  const play = (message: FakeIncomingMessage) => {
    message.emitChunks(openingChunks());
    work = workOf(() => message.emitChunks(pieces));
    message.emitChunks(closingChunks());
    message.end();
  };
  const written = await writtenOf(streamed, { contentType: 'text/event-stream', play });
  return { work, written: written.slice(openingChunks().length, -closingChunks().length) };
}

/** Calls of what takes long or makes something, and whatever Node would have to come back to. */
function workOf(work: () => void): Record<string, number> {
  const counted = {
    'JSON.parse': vi.spyOn(JSON, 'parse'),
    'JSON.stringify': vi.spyOn(JSON, 'stringify'),
    'Buffer.from': vi.spyOn(Buffer, 'from'),
    'Buffer.concat': vi.spyOn(Buffer, 'concat'),
    'Buffer.allocUnsafe': vi.spyOn(Buffer, 'allocUnsafe'),
    'buffer.toString': vi.spyOn(Buffer.prototype, 'toString'),
    setTimeout: vi.spyOn(globalThis, 'setTimeout'),
    clearTimeout: vi.spyOn(globalThis, 'clearTimeout'),
  };
  let resources = 0;
  const hook = createHook({ init: () => void resources++ }).enable();
  work();
  hook.disable();
  const calls = Object.entries(counted).map(([name, spy]) => [name, spy.mock.calls.length]);
  for (const spy of Object.values(counted)) spy.mockRestore();
  return { ...Object.fromEntries(calls), 'promises, timers and other resources': resources };
}

/** In the same place of memory, which says more than that the bytes are the same. */
function isSame(one: Buffer, other: Buffer | undefined): boolean {
  return one.buffer === other?.buffer && one.byteOffset === other.byteOffset && one.length === other.length;
}

describe('a piece of text', () => {
  it('goes to the caller in one write, as the bytes that came', async () => {
    const pieces = textChunks(100);
    const { written } = await relay(pieces);

    expect(written).toHaveLength(100);
    expect(written.filter((bytes, index) => !isSame(bytes, pieces[index]))).toEqual([]);
  });

  it('is looked at once, and neither parsed nor copied; nothing is set up for it', async () => {
    const { work } = await relay(textChunks(100));

    expect(work).toEqual({
      'JSON.parse': 0,
      'JSON.stringify': 0,
      'Buffer.from': 0,
      'Buffer.concat': 0,
      'Buffer.allocUnsafe': 0,
      // By `text-delta-matcher.ts`, as Latin-1.
      'buffer.toString': 100,
      setTimeout: 0,
      clearTimeout: 0,
      'promises, timers and other resources': 0,
    });
  });

  it('goes on in one write with those that came with it', async () => {
    const { written, work } = await relay([Buffer.concat(textChunks(100))]);

    expect(written).toEqual([Buffer.concat(textChunks(100))]);
    expect(work['JSON.parse']).toBe(0);
    // At most: of many events one is made.
    expect(work['Buffer.concat']).toBeLessThanOrEqual(1);
  });
});

describe('a whole answer', () => {
  it('goes to the caller in one write, as the bytes that came', async () => {
    const play = (message: FakeIncomingMessage) => {
      message.emitChunks([completionBody]);
      message.end();
    };
    const written = await writtenOf(whole, { contentType: 'application/json', play });

    expect(written.map((bytes) => isSame(bytes, completionBody))).toEqual([true]);
  });
});
