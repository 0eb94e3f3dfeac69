/**
 * Compresses objects on the fly, as CloudFront does.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/ServingCompressedFiles.html
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedEncoding } from '../listeners/accepted-encoding.ts';

type Encoding = 'br' | 'gzip';

interface CompressedBody {
  encoding: Encoding;
  body: Buffer;
}

export type Compressor = (source: {
  body: Buffer;
  contentType: string | undefined;
  acceptEncoding: string | undefined;
}) => Promise<CompressedBody | null>;

const minBytes = 1000;
const maxBytes = 10_000_000;

/** The types of web pages in CloudFront's list, which has no images other than SVG and no compressed fonts. */
const compressibleTypes = new Set([
  'application/javascript',
  'application/json',
  'application/pdf',
  'application/wasm',
  'application/xml',
  'image/svg+xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/javascript',
  'text/plain',
  'text/xml',
]);

/** As large as what CloudFront sends, and fast enough for the first request. */
const brotliQuality = 5;

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body),
};

/** Returns a function that keeps what it has compressed. It resolves to `null` for bodies that stay as they are. */
export function createCompressor(): Compressor {
  const compressed = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();
  return async ({ body, contentType, acceptEncoding }) => {
    const encoding = acceptedEncoding(acceptEncoding, ['br', 'gzip']);
    const isCompressible = compressibleTypes.has(contentType?.split(';')[0]?.trim().toLowerCase() ?? '');
    if (encoding === undefined || !isCompressible || body.length < minBytes || body.length > maxBytes)
      return null;
    const byEncoding = compressed.get(body) ?? new Map<Encoding, Promise<Buffer>>();
    compressed.set(body, byEncoding);
    const running = byEncoding.get(encoding) ?? compress[encoding](body);
    byEncoding.set(encoding, running);
    return { encoding, body: await running };
  };
}
