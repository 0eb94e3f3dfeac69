import { describe, expect, it } from 'vitest';
import { createSseSplitter, maxEventBytes, sseData } from '#lambdas/inference/providers/http/sse.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';

function splitEvents(chunks: Buffer[]): { events: string[]; rest: string } {
  const splitter = createSseSplitter();
  const events = chunks.flatMap((chunk) => splitter.push(chunk)).map((event) => event.toString());
  return { events, rest: splitter.rest().toString() };
}

describe('createSseSplitter', () => {
  it('ends an event at a blank line, with LF or CRLF', () => {
    expect(splitEvents([Buffer.from('data: 1\n\ndata: 2\r\n\r\n: ping\n\ndata: 3\n')])).toEqual({
      events: ['data: 1\n\n', 'data: 2\r\n\r\n', ': ping\n\n'],
      rest: 'data: 3\n',
    });
  });

  it('returns the same events wherever the bytes are split, even inside characters and line ends', () => {
    const line = fc.oneof(
      fc.constant('data: {"é":"😀"}'),
      fc.constant('data:x'),
      fc.constant(': c'),
      fc.constant('\rx'),
    );
    const end = fc.constantFrom('\n', '\r\n');
    const event = fc
      .tuple(fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 3 }), end)
      .map(([lines, last]) => lines.flat().join('') + last);
    fc.assert(
      fc.property(
        fc.array(event),
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

describe('sseData', () => {
  it.each([
    ['data: x\n\n', 'x'],
    ['data:x\r\n\r\n', 'x'],
    ['data:  x\n\n', ' x'],
    ['event: e\nid: 1\ndata: a\ndata: b\n\n', 'a\nb'],
    ['data:\n\n', ''],
    [': comment\n\n', null],
    ['\n', null],
  ])('reads the data of event %j as %j', (event, data) => {
    expect(sseData(Buffer.from(event))).toBe(data);
  });
});
