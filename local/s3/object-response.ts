/** Responses of S3 to the requests of a distribution, which may only read objects. */
import type { IncomingHttpHeaders } from 'node:http';
import type { BucketContent, StoredObject } from './deployed-objects.ts';

interface ObjectResponse {
  status: 200 | 304 | 403;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

const accessDenied: ObjectResponse = {
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
  ),
};

/** S3 returns 403 for an object that does not exist, because the distribution may not list the bucket. */
export function respondFromBucket(
  content: BucketContent,
  request: { method: string; path: string; headers: IncomingHttpHeaders },
): ObjectResponse {
  const object = content.get(keyOf(request.path));
  if (object === undefined || !['GET', 'HEAD'].includes(request.method)) return accessDenied;
  const headers = {
    etag: object.etag,
    'last-modified': object.lastModified.toUTCString(),
    ...(object.cacheControl !== undefined && { 'cache-control': object.cacheControl }),
  };
  if (isNotModified(request.headers, object)) return { status: 304, headers, body: Buffer.alloc(0) };
  return { status: 200, headers: { ...headers, 'content-type': object.contentType }, body: object.body };
}

function keyOf(path: string): string {
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return path.slice(1);
  }
}

/** `If-None-Match` takes precedence. Compression makes entity tags weak, so the comparison is weak. */
function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: StoredObject): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
  }
  return since !== undefined && Date.parse(since) >= Math.floor(lastModified.getTime() / 1000) * 1000;
}
