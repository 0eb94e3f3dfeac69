/** HTTP answers as bytes: with lengths, pieces and wrappings that fit, or do not. */
import zlib from 'node:zlib';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '../support/split-anywhere.ts';
import { fuzzAnswer } from './arbitrary-answers.ts';
import { anyChange } from './arbitrary-bytes.ts';
import type { RawAnswer } from './raw-upstream.ts';

type Wrap = (body: Buffer) => [headers: string, body: Buffer];

const wrappings: Wrap[] = [
  (body) => ['', body],
  (body) => ['content-encoding: identity\r\n', body],
  (body) => ['content-encoding: gzip\r\n', zlib.gzipSync(body)],
  (body) => ['Content-Encoding: BR\r\n', zlib.brotliCompressSync(body)],
  (body) => ['content-encoding: deflate\r\n', zlib.deflateSync(body)],
  (body) => ['content-encoding: gzip\r\n', body],
  (body) => ['content-encoding: zstd\r\n', body],
];
const framings: Wrap[] = [
  (body) => [`content-length: ${body.length}\r\n`, body],
  (body) => ['connection: close\r\n', body],
  (body) => [`content-length: ${body.length + 7}\r\n`, body],
  (body) => [`content-length: ${Math.max(body.length - 7, 0)}\r\n`, body],
  (body) => ['transfer-encoding: chunked\r\n', chunked(body)],
  (body) => ['transfer-encoding: chunked\r\n', body],
  (body) => [`transfer-encoding: chunked\r\ncontent-length: 3\r\n`, chunked(body)],
  (body) => ['content-length: -1\r\n', body],
];

function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const pieces = [body.subarray(0, half), body.subarray(half)].filter((piece) => piece.length > 0);
  const framed = pieces.map((piece) => [`${piece.length.toString(16)}\r\n`, piece, '\r\n']);
  return Buffer.concat([...framed.flat(), '0\r\n\r\n'].map((part) => Buffer.from(part)));
}

/** Most often one of the first so many, which are right. */
const mostlyOf = <Value>(values: readonly Value[], right: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...values.slice(0, right)) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );

/** One in so many, and else nothing. */
const rarely = (...texts: string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...texts) });

const heads = rarely(
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
);
const extraHeaders = rarely(
  'set-cookie: a=1\r\nset-cookie: b=2\r\n',
  'x-request-id: \u00e9\r\n',
  'x-request-id: a\r\nx-request-id: b\r\n',
  `x-large: ${'a'.repeat(20_000)}\r\n`,
  'no colon\r\n',
  'a: b\r\n folded\r\n',
);

export const rawAnswer = fc
  .record({
    answer: fuzzAnswer,
    wrap: mostlyOf(wrappings, 5),
    frame: mostlyOf(framings, 2),
    head: heads,
    extra: extraHeaders,
    change: fc.oneof({ weight: 3, arbitrary: fc.constant((bytes: Buffer) => bytes) }, anyChange),
    cut: splitAnywhere,
    die: fc.nat(19),
  })
  .map(({ answer, wrap, frame, head, extra, change, cut, die }) => {
    const { status, headers } = answer;
    const [encoding, wrapped] = wrap(Buffer.concat(answer.chunks));
    const [length, framed] = frame(wrapped);
    const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const top = `${head}HTTP/1.1 ${status} Said\r\n${own.join('')}${encoding}${length}${extra}\r\n`;
    const bytes = change(Buffer.concat([Buffer.from(top, 'latin1'), framed]));
    return { ...answer, raw: rawAnswerOf(cut(bytes), die) };
  });

/** Before it hangs, something must be missing: who waits for nothing does not notice. */
function rawAnswerOf(pieces: Buffer[], die: number): RawAnswer {
  if (die === 0) return { pieces: pieces.slice(0, -1), ending: 'hang' };
  return { pieces, ending: die === 1 ? 'reset' : 'end' };
}
