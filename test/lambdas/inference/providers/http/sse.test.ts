import { describe, expect, it } from 'vitest';
import { createSseSplitter, maxEventBytes, readSseEvent } from '#lambdas/inference/providers/http/sse.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';

function splitEvents(chunks: Buffer[]): { events: string[]; rest: string } {
  const splitter = createSseSplitter();
  const events = chunks.flatMap((chunk) => splitter.push(chunk)).map((event) => event.toString());
  return { events, rest: splitter.rest().toString() };
}

describe('createSseSplitter', () => {
  it('ends an event at a blank line, with LF, CRLF or CR', () => {
    const bytes = 'data: 1\n\ndata: 2\r\n\r\n: ping\n\ndata: 3\r\rdata: 4\n';
    expect(splitEvents([Buffer.from(bytes)])).toEqual({
      events: ['data: 1\n\n', 'data: 2\r\n\r\n', ': ping\n\n', 'data: 3\r\r'],
      rest: 'data: 4\n',
    });
  });

  it('ends an event at the second of two CRs without waiting for the next chunk', () => {
    expect(splitEvents([Buffer.from('data: 1\r\r')])).toEqual({ events: ['data: 1\r\r'], rest: '' });
  });

  it('returns the same events wherever the bytes are split, even inside characters and line ends', () => {
    const line = fc.oneof(fc.constant('data: {"é":"😀"}'), fc.constant('data:x'), fc.constant(': c'));
    // A stream with CR alone has no other line ends: after one, LF would belong to the same line end.
    const event = (end: fc.Arbitrary<string>) =>
      fc
        .tuple(fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 3 }), end)
        .map(([lines, last]) => lines.flat().join('') + last);
    const events = fc.oneof(
      fc.array(event(fc.constantFrom('\n', '\r\n'))),
      fc.array(event(fc.constant('\r'))),
    );
    fc.assert(
      fc.property(
        events,
        fc.constantFrom('', 'data: z', 'data: z\n', 'data: z\r\n'),
        splitAnywhere,
        (events, rest, split) => {
          expect(splitEvents(split(Buffer.from(events.join('') + rest)))).toEqual({ events, rest });
        },
      ),
    );
  });
});

describe('createSseSplitter with large events', () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const maxChunks = maxEventBytes / chunk.length;

  it('throws provider_error for an event longer than 16 MB', () => {
    const splitter = createSseSplitter();
    for (let count = 0; count < maxChunks; count++) expect(splitter.push(chunk)).toEqual([]);
    expect(() => splitter.push(Buffer.from('x'))).toThrow(
      expect.objectContaining({
        code: 'provider_error',
        message: 'The provider sent an event that is too large',
      }),
    );
  });

  it('accepts consecutive events of the maximum size', () => {
    const splitter = createSseSplitter();
    for (let event = 0; event < 3; event++) {
      for (let count = 0; count < maxChunks; count++) splitter.push(chunk);
      expect(splitter.push(Buffer.from('\n\n')).map(({ length }) => length)).toEqual([maxEventBytes + 2]);
    }
  });
});

describe('readSseEvent', () => {
  it.each([
    ['data: x\n\n', { data: 'x' }],
    ['data:x\r\n\r\n', { data: 'x' }],
    ['data:  x\r\r', { data: ' x' }],
    ['event: e\nid: 1\nretry: 5\ndata: a\ndata: b\n\n', { type: 'e', data: 'a\nb' }],
    ['data\n\n', { data: '' }],
    [': comment\n\n', {}],
    ['\n', {}],
    ['error: {"code":400}\ndata: x\n\n', { data: 'x', others: ['error: {"code":400}'] }],
    ['{"error":\n"no"}\n\n', { others: ['{"error":', '"no"}'] }],
  ])('reads the event %j', (event, fields) => {
    expect(readSseEvent(Buffer.from(event))).toEqual({ type: '', data: null, others: [], ...fields });
  });
});
