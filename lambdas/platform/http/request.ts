/** HTTP requests, independent of the transport (API Gateway or a function URL). */
import { GatewayError, invalidRequestError } from '../errors.ts';
import { maxRequestBytes } from './payload-limits.ts';
import type { RawQueryParameters } from './query.ts';

export interface HttpRequest {
  method: string;
  /** The route from API Gateway or the path from a function URL, without stage or base path. */
  path: string;
  /** Names in lower case; values of a repeated header are joined by commas. */
  headers: Readonly<Record<string, string | undefined>>;
  readQuery(): RawQueryParameters;
  /** The address of the caller, as AWS reports it. */
  sourceIp?: string;
  /** Throws a `GatewayError`: 413 for a body over `maxRequestBytes`, 400 for a body that is not UTF-8. */
  readBody(): string | Promise<string>;
}

/** Throws the errors of `readBody`, and a `GatewayError` (415) for a compressed body. */
export async function readBodyText(request: HttpRequest): Promise<string> {
  const codings = (request.headers['content-encoding'] ?? '').split(',').map((coding) => coding.trim());
  // A prompt needs no compression, and a small compressed body could become very large in memory.
  if (codings.some((coding) => coding !== '' && coding.toLowerCase() !== 'identity')) {
    throw new GatewayError('unsupported_media_type', {
      param: 'content-encoding',
      message: 'The request body must not be compressed: send it without content-encoding',
    });
  }
  return request.readBody();
}

export function bodyTooLargeError(): GatewayError {
  return new GatewayError('request_too_large', {
    param: 'body',
    message: `The request body must have at most ${maxRequestBytes} bytes`,
  });
}

export function decodeBody(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError)
      throw invalidRequestError('body', 'The request body must be JSON in UTF-8');
    throw error;
  }
}
