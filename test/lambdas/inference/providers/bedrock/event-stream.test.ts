/** Tests the frame parser with frames encoded by the AWS SDK. */
import { crc32 } from 'node:zlib';
import { EventStreamCodec, Int64 } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { describe, expect, it } from 'vitest';
import {
  CorruptStreamError,
  createFrameSplitter,
  readFrame,
} from '#lambdas/inference/providers/bedrock/event-stream.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { bedrockFrame } from '#test/support/providers/bedrock/event-stream.ts';

const codec = new EventStreamCodec(toUtf8, fromUtf8);
type Headers = Parameters<typeof codec.encode>[0]['headers'];

const value = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => ({ type: 'string' as const, value: text })),
  fc.boolean().map((flag) => ({ type: 'boolean' as const, value: flag })),
  fc.integer({ min: -128, max: 127 }).map((number) => ({ type: 'byte' as const, value: number })),
  fc.integer({ min: -32_768, max: 32_767 }).map((number) => ({ type: 'short' as const, value: number })),
  fc.integer().map((number) => ({ type: 'integer' as const, value: number })),
  fc.integer().map((number) => ({ type: 'long' as const, value: Int64.fromNumber(number) })),
  fc.uint8Array().map((bytes) => ({ type: 'binary' as const, value: bytes })),
  fc.integer().map((ms) => ({ type: 'timestamp' as const, value: new Date(ms) })),
  fc.uuid().map((uuid) => ({ type: 'uuid' as const, value: uuid })),
);
const frames = fc.record({
  headers: fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), value),
  body: fc.uint8Array(),
});

const encode = (headers: Headers, body: Uint8Array) => Buffer.from(codec.encode({ headers, body }));

function frameWith(headers: number[], headersBytes = headers.length): Buffer {
  const frame = Buffer.alloc(16 + headers.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headersBytes, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  frame.set(headers, 12);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

describe('readFrame', () => {
  it('returns all string headers and the body', () => {
    fc.assert(
      fc.property(frames, ({ headers, body }) => {
        const read = readFrame(encode(headers, body));

        const texts = Object.entries(headers).flatMap(([name, header]) =>
          header.type === 'string' ? [[name, header.value]] : [],
        );
        expect([...(read?.headers ?? [])]).toEqual(texts);
        expect(read?.body).toEqual(Buffer.from(body));
      }),
    );
  });

  it('returns null when any bit is flipped', () => {
    fc.assert(
      fc.property(frames, fc.nat(), fc.nat(7), (frame, position, bit) => {
        const bytes = encode(frame.headers, frame.body);
        const at = position % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);

        expect(readFrame(bytes)).toBeNull();
      }),
    );
  });

  it.each([
    ['of an unknown type', [1, 97, 10]],
    ['truncated in its name', [5, 97]],
    ['truncated before its type', [1, 97]],
    ['truncated in its length', [1, 97, 7, 0]],
    ['truncated in its value', [1, 97, 7, 0, 2, 98]],
    ['truncated in a number', [1, 97, 4, 0, 0, 0]],
  ])('returns null for a header %s, even with valid checksums', (_, headers) => {
    expect(readFrame(frameWith(headers))).toBeNull();
  });

  it('returns null when only the prelude checksum is wrong', () => {
    const bytes = frameWith([]);
    bytes.writeUInt32BE(bytes.readUInt32BE(8) + 1, 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);

    expect(readFrame(bytes)).toBeNull();
  });

  it('returns null when the headers are longer than the frame', () => {
    // A header of type byte whose value would be the first byte of the checksum.
    expect(readFrame(frameWith([1, 97, 2], 4))).toBeNull();
    expect(readFrame(frameWith([1, 97, 2, 0], 4))).toEqual({ headers: new Map(), body: Buffer.alloc(0) });
  });
});

/**
 * Recorded from eu.anthropic.claude-sonnet-4-6:
 * https://github.com/vercel/ai/blob/main/packages/amazon-bedrock/src/__fixtures__/issue-18994-live-converse-stream.json
 */
const recorded =
  'AAAAswAAAFfHSmn6CzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6Ik9LIn0sInAiOiJhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3gifXbBTlw=';

describe('createFrameSplitter', () => {
  it('reads a recorded AWS frame', () => {
    expect([...createFrameSplitter().push(Buffer.from(recorded, 'base64'))]).toEqual([
      {
        kind: 'event',
        type: 'contentBlockDelta',
        payload: { contentBlockIndex: 0, delta: { text: 'OK' }, p: 'abcdefghijklmnopqrstuvwx' },
      },
    ]);
  });

  it('finds the frames wherever the bytes are split', () => {
    const sent = Array.from({ length: 5 }, (_, number) => ({ number, text: 'é'.repeat(number * 50) }));
    const bytes = Buffer.concat(sent.map((payload) => bedrockFrame({ event: payload })));

    fc.assert(
      fc.property(splitAnywhere, (split) => {
        const splitter = createFrameSplitter();
        const found = split(bytes).flatMap((chunk) => [...splitter.push(chunk)]);

        expect(found.map(({ payload: { number, text } }) => ({ number, text }))).toEqual(sent);
      }),
    );
  });

  it('reads unmodeled errors as exceptions', () => {
    const text = (value: string) => ({ type: 'string' as const, value });
    const headers = {
      ':message-type': text('error'),
      ':error-code': text('InternalFailure'),
      ':error-message': text('Sorry'),
    };
    const frame = new EventStreamCodec(toUtf8, fromUtf8).encode({ headers, body: new Uint8Array() });

    expect([...createFrameSplitter().push(Buffer.from(frame))]).toEqual([
      { kind: 'exception', type: 'InternalFailure', payload: { message: 'Sorry' } },
    ]);
  });

  it.each([
    ['a length below the minimum', Buffer.from([0, 0, 0, 15])],
    ['a length above the maximum', Buffer.from([127, 0, 0, 0])],
    ['a wrong checksum', Buffer.from(recorded.replace(/w=$/, 'A='), 'base64')],
  ])('throws CorruptStreamError for %s', (_, bytes) => {
    expect(() => [...createFrameSplitter().push(bytes)]).toThrow(CorruptStreamError);
  });
});
