import { describe, expect, it } from 'vitest';
import { ApiError } from '#dashboard/api/client.ts';
import {
  type CompletionDelta,
  CompletionError,
  readCompletion,
  readServerSentEvents,
} from '#dashboard/issued-key/test-request/completion-stream.ts';
import { loadTestEntry } from '#dashboard/issued-key/test-request/test-entry.ts';
import type { TestEntry } from '#lambdas/accounts/test-request/responses.ts';
import { fc } from '#test/support/fast-check.ts';

/** A stream of the text's bytes, split at the given positions. */
function streamOf(text: string, splits: readonly number[] = []): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const bounds = [
    0,
    ...splits.map((split) => split % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of bounds.slice(1).entries())
        controller.enqueue(bytes.slice(bounds[index], end));
      controller.close();
    },
  });
}

const collect = <Item>(items: AsyncIterable<Item>) => Array.fromAsync(items);

describe('Server-sent events', () => {
  it('are the same wherever the stream is split, with any line end', async () => {
    const event = fc.record({
      data: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
      comment: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat()),
        async (events, lineEnd, splits) => {
          const lines = events.flatMap(({ data, comment }) => [
            ...(comment ? [': keep-alive', 'event: chunk'] : []),
            `data: ${data}`,
            '',
          ]);
          const text = lines.map((line) => line + lineEnd).join('');
          // After a final carriage return, a line feed could follow.
          const body = streamOf(lineEnd === '\r' ? `${text}:` : text, splits);
          expect(await collect(readServerSentEvents(body))).toEqual(events.map(({ data }) => data));
        },
      ),
    );
  });

  it('join several lines of data, and drop an event that is cut off', async () => {
    const body = streamOf('data:one\ndata: two\n\nid: 7\n\ndata: cut');
    expect(await collect(readServerSentEvents(body))).toEqual(['one\ntwo']);
  });

  it('end the request when the reader stops early', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _data of readServerSentEvents(body)) break;
    expect(cancelled).toBe(true);
  });
});

describe('A streamed completion', () => {
  async function* eventsOf(...events: (object | '[DONE]')[]): AsyncGenerator<string> {
    for (const event of events) yield typeof event === 'string' ? event : JSON.stringify(event);
  }
  const text = (content: string) => ({ choices: [{ delta: { content } }] });

  it('consists of the text and the reasoning of its chunks', async () => {
    const events = eventsOf(
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { reasoning_content: 'Hm.' } }] },
      text('Hel'),
      text('lo'),
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { total_tokens: 3 } },
      '[DONE]',
      text('!'),
    );
    expect(await collect(readCompletion(events))).toEqual<CompletionDelta[]>([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
    ]);
  });

  it.each<[string, AsyncGenerator<string>, string]>([
    [
      'an error event',
      eventsOf(text('Hel'), { error: { message: 'The provider is overloaded' } }),
      'The provider is overloaded',
    ],
    ['an early end', eventsOf(text('Hel')), 'The response ended early. Send the request again.'],
  ])('fails for %s', async (_reason, events, message) => {
    await expect(collect(readCompletion(events))).rejects.toThrow(new CompletionError(message));
  });
});

describe('The entry of a test request', () => {
  const entry: TestEntry = {
    id: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
    model: 'demo-1',
    provider: 'demo',
    input_tokens: 4,
    output_tokens: 8,
    latency_ms: 120,
    outcome: 'completed',
    pricing: 'table',
    usage_source: 'provider',
    cost_usd: 0.0001512,
  };
  const notFound = new ApiError('There is no such entry', 404);

  /** Each load takes the next result. */
  async function load(results: (TestEntry | Error)[]) {
    const delaysMs: number[] = [];
    const next = async () => {
      const result = results.shift() ?? notFound;
      if (result instanceof Error) throw result;
      return result;
    };
    const loaded = await loadTestEntry(next, async (delayMs) => void delaysMs.push(delayMs));
    return { loaded, delaysMs };
  }

  it('is awaited with growing delays, and is null if it does not appear', async () => {
    expect(await load([notFound, notFound, entry])).toEqual({ loaded: entry, delaysMs: [500, 1000, 2000] });
    expect(await load([])).toEqual({ loaded: null, delaysMs: [500, 1000, 2000, 4000, 8000] });
  });

  it('is not awaited further after another error', async () => {
    await expect(load([notFound, new ApiError('The key is revoked', 401)])).rejects.toThrow(
      'The key is revoked',
    );
  });
});
