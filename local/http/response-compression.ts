/**
 * Compresses responses of buffered integrations, as API Gateway does. It supports neither Brotli nor the compression of streams.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-receive-response-with-compressed-payload.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { deflate, gzip } from 'node:zlib';
import { acceptedEncoding } from '../listeners/accepted-encoding.ts';

interface EncodedResponse {
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

const compress = { gzip: promisify<Buffer, Buffer>(gzip), deflate: promisify<Buffer, Buffer>(deflate) };

/** `minBytes` is the API's property `MinimumCompressionSize`. */
export async function compressResponse(
  request: IncomingMessage,
  { headers, body }: EncodedResponse,
  minBytes: number,
): Promise<EncodedResponse> {
  const encoding = acceptedEncoding(request.headers['accept-encoding'], ['gzip', 'deflate']);
  const isEncoded = headers['content-encoding'] !== undefined;
  if (encoding === undefined || isEncoded || body.length < minBytes) return { headers, body };
  return { headers: { ...headers, 'content-encoding': encoding }, body: await compress[encoding](body) };
}
