/**
 * The work of the deployed chat function for each chunk of a stream. A long completion has thousands of chunks.
 *
 * A failure means that the work per chunk has changed. Justify more work with the figures of `npm run bench`, and lower
 * the expectation for less.
 */
import { createHook } from 'node:async_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ColdStarter, createColdStarter } from '../support/chat/cold-start.ts';
import {
  FakeClientResponse,
  type FakeIncomingMessage,
  fakeNetwork,
  type ProviderResponse,
} from '../support/chat/fake-network.ts';
import { closingChunks, completionBody, openingChunks, textChunks } from '../support/chat/stream-chunks.ts';
import { recordLogLines } from '../support/record-log-lines.ts';

const unusedEndpoint = 'http://127.0.0.1:9';
const completionRequest = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
const streamingRequest = { ...completionRequest, stream: true, stream_options: { include_usage: true } };

let coldStarter: ColdStarter;
beforeAll(() => {
  coldStarter = createColdStarter();
});
afterAll(() => coldStarter.remove());

const cleanups: (() => void)[] = [];
beforeEach(() => {
  recordLogLines();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function writtenChunks(body: object, response: ProviderResponse): Promise<Buffer[]> {
  const network = fakeNetwork(() => response);
  cleanups.push(network.stop);
  const { chat } = coldStarter.start({ upstream: unusedEndpoint, aws: unusedEndpoint });
  const responseStream = new FakeClientResponse();
  await chat({ body, responseStream });
  return responseStream.written;
}

/** Relays `chunks` within a stream. Returns the chunks that were written and the work for them. */
async function relay(chunks: Buffer[]) {
  let work: Record<string, number> = {};
  const emitBody = (message: FakeIncomingMessage) => {
    message.emitChunks(openingChunks());
    work = countWork(() => message.emitChunks(chunks));
    message.emitChunks(closingChunks());
    message.end();
  };
  const written = await writtenChunks(streamingRequest, { contentType: 'text/event-stream', emitBody });
  // The finish reason is written with the usage.
  return { work, written: written.slice(openingChunks().length, 1 - closingChunks().length) };
}

/** Counts calls of expensive and allocating functions, and async resources such as promises and timers. */
function countWork(work: () => void): Record<string, number> {
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

/** Compares memory, not bytes. */
function isSame(one: Buffer, other: Buffer | undefined): boolean {
  return one.buffer === other?.buffer && one.byteOffset === other.byteOffset && one.length === other.length;
}

describe('A chunk of text', () => {
  it('writes a chunk of text to the client once, without copying it', async () => {
    const chunks = textChunks(100);
    const { written } = await relay(chunks);

    expect(written).toHaveLength(100);
    expect(written.filter((bytes, index) => !isSame(bytes, chunks[index]))).toEqual([]);
  });

  it('scans a chunk of text once, without parsing, copying, timers or promises', async () => {
    const { work } = await relay(textChunks(100));

    expect(work).toEqual({
      'JSON.parse': 0,
      'JSON.stringify': 0,
      'Buffer.from': 0,
      'Buffer.concat': 0,
      'Buffer.allocUnsafe': 0,
      // Called by `text-delta-matcher.ts`, as Latin-1.
      'buffer.toString': 100,
      setTimeout: 0,
      clearTimeout: 0,
      'promises, timers and other resources': 0,
    });
  });

  it('writes events that arrived together in one chunk', async () => {
    const { written, work } = await relay([Buffer.concat(textChunks(100))]);

    expect(written).toEqual([Buffer.concat(textChunks(100))]);
    expect(work['JSON.parse']).toBe(0);
    // One call joins the events.
    expect(work['Buffer.concat']).toBeLessThanOrEqual(1);
  });
});

describe('A non-streaming response', () => {
  it('writes a non-streaming response to the client once, without copying it', async () => {
    const emitBody = (message: FakeIncomingMessage) => {
      message.emitChunks([completionBody]);
      message.end();
    };
    const written = await writtenChunks(completionRequest, { contentType: 'application/json', emitBody });

    expect(written.map((bytes) => isSame(bytes, completionBody))).toEqual([true]);
  });
});
