import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStreamResponse } from '#lambdas/inference/exchange/stream-response.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';

const event = Buffer.from('data: {"a":1}\n\n');
const comment = Buffer.from(': wait\n\n');

/** A caller who reads only in `read`, and after whose `highWaterMark` bytes writes wait. */
function startResponse({ heartbeatMs = 0, highWaterMark = 10_000 } = {}) {
  const body = new PassThrough({ highWaterMark });
  let head: { status: number; headers: Record<string, string> } | null = null;
  const response = createResponseSink(body, (status, headers) => {
    head = { status, headers };
    return body;
  });
  const limits = { heartbeatMs, flushMs: 0, commentDelayMs: 500 };
  const stream = createStreamResponse({ response, headers: () => ({ 'x-id': '1' }), limits });
  return { stream, head: () => head, read: () => String(body.read() ?? '') };
}

describe('createStreamResponse', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends status, headers and earlier comments with the first event', () => {
    const { stream, head, read } = startResponse();
    stream.writeComments(comment);
    expect([head(), read()]).toEqual([null, '']);
    stream.write(event);
    expect(head()).toEqual({
      status: 200,
      headers: {
        'x-id': '1',
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      },
    });
    expect(read()).toBe(`${comment}${event}`);
  });

  it('sends comments half a second after the first, and later ones immediately', () => {
    const { stream, head, read } = startResponse();
    stream.writeComments(comment);
    vi.advanceTimersByTime(300);
    stream.writeComments(comment);
    vi.advanceTimersByTime(199);
    expect([head(), read()]).toEqual([null, '']);
    vi.advanceTimersByTime(1);
    expect(read()).toBe(`${comment}${comment}`);
    stream.writeComments(comment);
    expect(read()).toBe(String(comment));
  });

  it('holds back no more than 64 kB of comments', () => {
    const { stream, read } = startResponse({ highWaterMark: 1_000_000 });
    const long = Buffer.from(`: ${'x'.repeat(64 * 1024)}\n\n`);
    stream.writeComments(long);
    expect(read()).toBe(String(long));
  });

  it('sends a comment after each interval of silence', () => {
    const { stream, head, read } = startResponse({ heartbeatMs: 15_000 });
    vi.advanceTimersByTime(14_999);
    expect(head()).toBeNull();
    vi.advanceTimersByTime(1);
    expect([head(), read()]).toEqual([expect.objectContaining({ status: 200 }), ': ping\n\n']);
    vi.advanceTimersByTime(10_000);
    stream.write(event);
    vi.advanceTimersByTime(14_999);
    expect(read()).toBe(String(event));
    vi.advanceTimersByTime(1);
    expect(read()).toBe(': ping\n\n');
    stream.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends no comment to a caller who is still reading', async () => {
    const { stream, read } = startResponse({ heartbeatMs: 15_000, highWaterMark: 5 });
    const written = stream.write(event);
    vi.advanceTimersByTime(60_000);
    expect(read()).toBe(String(event));
    vi.useRealTimers();
    await written;
    stream.stop();
    expect(read()).toBe('');
  });

  it('sends nothing after it was stopped', () => {
    const { stream, read } = startResponse({ heartbeatMs: 1000 });
    stream.writeComments(comment);
    stream.stop();
    stream.write(event);
    vi.advanceTimersByTime(60_000);
    expect(read()).toBe(`${comment}${event}`);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sets no timer without heartbeats', () => {
    startResponse();
    expect(vi.getTimerCount()).toBe(0);
  });
});
