import { posix } from 'node:path';

/**
 * Content types of files of web pages, as Python's `mimetypes` guesses them for the AWS command line in the runtime of
 * `BucketDeployment`, Python 3.13: without character sets, and with no type for fonts before Python 3.14.
 * https://github.com/python/cpython/blob/3.13/Lib/mimetypes.py
 */
const contentTypes: Record<string, string> = {
  '.avif': 'image/avif',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.xml': 'text/xml',
};

/** S3's own type for objects that were uploaded without one. */
const defaultContentType = 'binary/octet-stream';

export function contentTypeOf(path: string): string {
  return contentTypes[posix.extname(path).toLowerCase()] ?? defaultContentType;
}
