/**
 * Headers of a function's response that AWS renames or drops, so that callers never see them under their own names.
 *
 * For the REST API, this is the column of Lambda integrations in
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html. AWS does not document what
 * function URLs do; deployed ones rename `www-authenticate` and `date` as well, so both endpoints use this table.
 */
import type { OutgoingHttpHeaders } from 'node:http';

const renamed: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

const dropped: ReadonlySet<string> = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Names must be in lower case. */
export function remapHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !dropped.has(name))
      .map(([name, value]) => [renamed.has(name) ? `x-amzn-remapped-${name}` : name, value]),
  );
}
