/** HTTP responses as bytes, with lengths, chunks and content encodings that are valid or not. */
import zlib from 'node:zlib';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import type { RawResponse } from '../raw-upstream.ts';
import { byteMutation } from './byte-mutations.ts';
import { fuzzResponse } from './provider-responses.ts';

type Encode = (body: Buffer) => [headers: string, body: Buffer];

const contentEncodings: Encode[] = [
  (body) => ['', body],
  (body) => ['content-encoding: identity\r\n', body],
  (body) => ['content-encoding: gzip\r\n', zlib.gzipSync(body)],
  (body) => ['Content-Encoding: BR\r\n', zlib.brotliCompressSync(body)],
  (body) => ['content-encoding: deflate\r\n', zlib.deflateSync(body)],
  (body) => ['content-encoding: gzip\r\n', body],
  (body) => ['content-encoding: zstd\r\n', body],
];
const framings: Encode[] = [
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
  const chunks = [body.subarray(0, half), body.subarray(half)].filter((chunk) => chunk.length > 0);
  const framed = chunks.map((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...framed.flat(), '0\r\n\r\n'].map((part) => Buffer.from(part)));
}

/** Yields one of the first `validCount` values, which are valid, in four of five cases, and else any value. */
const mostlyFirst = <Value>(values: readonly Value[], validCount: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...values.slice(0, validCount)) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );

const rarely = (...texts: string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...texts) });

const interimResponses = rarely(
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

export const rawResponse = fc
  .record({
    response: fuzzResponse,
    encodeContent: mostlyFirst(contentEncodings, 5),
    frameBody: mostlyFirst(framings, 2),
    interimResponse: interimResponses,
    extraHeader: extraHeaders,
    mutate: fc.oneof({ weight: 3, arbitrary: fc.constant((bytes: Buffer) => bytes) }, byteMutation),
    split: splitAnywhere,
    outcome: fc.nat(19),
  })
  .map(({ response, encodeContent, frameBody, interimResponse, extraHeader, mutate, split, outcome }) => {
    const { status, headers } = response;
    const [encoding, encoded] = encodeContent(Buffer.concat(response.chunks));
    const [length, framed] = frameBody(encoded);
    const ownHeaders = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${interimResponse}HTTP/1.1 ${status} Status\r\n${ownHeaders.join('')}${encoding}${length}${extraHeader}\r\n`;
    const bytes = mutate(Buffer.concat([Buffer.from(head, 'latin1'), framed]));
    return { ...response, raw: toRawResponse(split(bytes), outcome) };
  });

/** A response that hangs must be incomplete: the gateway does not wait after a complete one. */
function toRawResponse(chunks: Buffer[], outcome: number): RawResponse {
  if (outcome < 2) return { chunks: chunks.slice(0, -1), ending: 'hang' };
  return { chunks, ending: outcome === 2 ? 'reset' : 'end' };
}
