import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventStream, sseComment } from '#lambdas/platform/http/event-stream.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { fc } from '#test/support/fast-check.ts';

const event = Buffer.from('data: {"a":1}\n\n');
const comment = String(sseComment);

/** A caller who reads only in `read`, and after whose `highWaterMark` bytes writes wait. */
function openStream({ flushMs = 20, heartbeatMs = 0, highWaterMark = 1_000_000 } = {}) {
  const body = new PassThrough({ highWaterMark });
  const response = createResponseSink(body, () => body);
  response.start(200, {});
  const stream = createEventStream({
    response,
    flushMs,
    heartbeat: { afterMs: heartbeatMs, send: () => void stream.write(sseComment) },
  });
  const readBytes = (): Buffer => body.read() ?? Buffer.alloc(0);
  return { stream, readBytes, read: () => String(readBytes()) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('An event stream that flushes', () => {
  it('sends one comment after an event that nothing follows in time', () => {
    const { stream, read } = openStream();
    stream.write(event);
    vi.advanceTimersByTime(19);
    expect(read()).toBe(String(event));
    vi.advanceTimersByTime(1);
    expect(read()).toBe(comment);
    vi.advanceTimersByTime(60_000);
    expect([read(), vi.getTimerCount()]).toEqual(['', 0]);
  });

  it('sends none between events that follow each other in time', () => {
    const { stream, read } = openStream();
    for (let count = 0; count < 3; count += 1) {
      stream.write(event);
      vi.advanceTimersByTime(19);
    }
    expect(read()).toBe(String(event).repeat(3));
  });

  it.each(['\n\n', '\r\n\r\n', '\r\r', '\n\r\n'])(
    'sends none inside an event, and one after its end %j',
    (end) => {
      const { stream, read } = openStream();
      for (const part of ['event: a', end.slice(0, -1)]) {
        stream.write(Buffer.from(part));
        vi.advanceTimersByTime(60_000);
      }
      expect(read()).toBe(`event: a${end.slice(0, -1)}`);
      stream.write(Buffer.from(end.slice(-1)));
      vi.advanceTimersByTime(20);
      expect(read()).toBe(end.slice(-1) + comment);
    },
  );

  it('sends a heartbeat after the silence that follows, which is flushed too', () => {
    const { stream, read } = openStream({ heartbeatMs: 15_000 });
    stream.write(event);
    vi.advanceTimersByTime(20);
    expect(read()).toBe(String(event) + comment);
    vi.advanceTimersByTime(14_999);
    expect(read()).toBe('');
    vi.advanceTimersByTime(1);
    expect(read()).toBe(comment);
    vi.advanceTimersByTime(20);
    expect(read()).toBe(comment);
    stream.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for a caller who is still reading', async () => {
    const { stream, read } = openStream({ highWaterMark: 5 });
    const written = stream.write(event);
    vi.advanceTimersByTime(60_000);
    expect(read()).toBe(String(event));
    await written;
    vi.advanceTimersByTime(20);
    expect(read()).toBe(comment);
  });

  it('sends nothing after it was stopped', () => {
    const { stream, read } = openStream();
    stream.write(event);
    stream.stop();
    stream.write(event);
    vi.advanceTimersByTime(60_000);
    expect(read()).toBe(String(event).repeat(2));
  });

  it('adds comments between events only, and changes no byte of them', () => {
    const events = fc.array(
      fc.constantFrom('data: {"a":"é"}\n\n', ': wait\n\n', 'event: x\r\ndata: 1\r\n\r\n'),
    );
    const cuts = fc.array(fc.record({ length: fc.integer({ min: 1, max: 40 }), silenceMs: fc.nat(50) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(events, cuts, (parts, chunks) => {
        const { stream, readBytes } = openStream();
        const bytes = Buffer.from(parts.join(''));
        const received: Buffer[] = [];
        for (let at = 0, index = 0; at < bytes.length; index += 1) {
          const { length, silenceMs } = chunks[index % chunks.length] ?? { length: 1, silenceMs: 0 };
          stream.write(bytes.subarray(at, at + length));
          vi.advanceTimersByTime(silenceMs);
          received.push(readBytes());
          at += length;
        }
        stream.stop();
        const events = String(Buffer.concat(received)).match(/.+?(\n\n|\r\n\r\n)/gs) ?? [];
        expect(events.filter((part) => part !== comment)).toEqual(parts);
      }),
    );
  });
});

describe('An event stream without flushes and heartbeats', () => {
  it('sets no timer', () => {
    const { stream, read } = openStream({ flushMs: 0 });
    stream.write(event);
    expect([read(), vi.getTimerCount()]).toEqual([String(event), 0]);
  });
});
