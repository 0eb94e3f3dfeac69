/** The events of both ways in, with headers and paths that no well-meaning client sends. */

import type { HttpEvent } from '#lambdas/platform/http/lambda-event.ts';
import { fc } from '#test/support/fast-check.ts';
import { anyName, anyText } from './arbitrary-json.ts';

const chatPath = '/ai/chat/completions';

const headerNames = fc.oneof(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'anthropic-beta',
    'api-key',
    'content-encoding',
    'content-length',
    'content-type',
    'cookie',
    'gateway-prompt-id',
    'gateway-session-id',
    'gateway-user-id',
    'host',
    'idempotency-key',
    'openai-beta',
    'transfer-encoding',
    'user-agent',
    'x-amzn-trace-id',
    'x-api-key',
    'x-forwarded-for',
  ),
  anyName,
);
const headerValue = fc.oneof(
  fc.string({ maxLength: 20 }),
  anyText,
  fc.constantFrom(
    'identity',
    'gzip',
    'application/json',
    '',
    'a'.repeat(300),
    'a'.repeat(9000),
    'a\r\nx-evil: 1',
    'José',
    'JosÃ©',
  ),
);
const headerList = fc.array(fc.tuple(headerNames, headerValue), { maxLength: 5 });

const path = fc.oneof(
  { weight: 36, arbitrary: fc.constant(chatPath) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/ai/models',
      '/ai/models/openai%2Fgpt-4o',
      '/ai/models/%',
      '/',
      '/ai/chat/completions/',
      '//',
      '/ai/models/',
    ),
  },
  { weight: 1, arbitrary: anyText.map((text) => `/ai/models/${text}`) },
  { weight: 1, arbitrary: anyText },
);
const method = fc.oneof(
  { weight: 30, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: fc.constantFrom('GET', 'PUT', 'OPTIONS', '') },
);

export interface FuzzEvent {
  event: HttpEvent;
  isChat: boolean;
  hasKey: boolean;
}

export interface EventParts {
  apiKey: string;
  body: fc.Arbitrary<string>;
}

export function anyEvent({ apiKey, body }: EventParts): fc.Arbitrary<FuzzEvent> {
  const right = `Bearer ${apiKey}`;
  const authorization = fc.oneof(
    { weight: 30, arbitrary: fc.constant(right) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        `${right}, ${right}`,
        apiKey,
        `Basic ${apiKey}`,
        right.slice(0, -1),
        `${right}\u00a0`,
        `Bearer ${'a'.repeat(10_000)}`,
      ),
    },
    { weight: 1, arbitrary: headerValue },
  );
  return fc
    .record({
      path,
      method,
      authorization,
      headers: headerList,
      body: fc.option(body, { freq: 20 }),
      encoded: fc.integer({ min: 0, max: 15 }),
      isProxy: fc.boolean(),
    })
    .map((parts) => ({
      event: parts.isProxy ? proxyEvent(parts) : urlEvent(parts),
      isChat: parts.path === chatPath && parts.method === 'POST',
      hasKey: parts.authorization === right,
    }));
}

interface Parts {
  path: string;
  method: string;
  authorization: string | undefined;
  headers: [string, string][];
  body: string | null;
  /** For the lower numbers in base64, for the lowest in a broken one. */
  encoded: number;
}

function bodyOf({ body, encoded }: Parts): { body: string | null; isBase64Encoded: boolean } {
  if (body === null || encoded > 5) return { body, isBase64Encoded: false };
  const base64 = Buffer.from(body).toString('base64');
  return { body: encoded === 0 ? base64.slice(3) : base64, isBase64Encoded: true };
}

/** Names are in lower case here, and the last of a name is the one. */
function urlEvent(parts: Parts): HttpEvent {
  const headers = parts.headers.map(([name, value]) => [name.toLowerCase(), value]);
  const { authorization } = parts;
  return {
    version: '2.0',
    rawPath: parts.path,
    headers: Object.fromEntries([
      ...headers,
      ...(authorization === undefined ? [] : [['authorization', authorization]]),
    ]),
    requestContext: { http: { method: parts.method } },
    ...bodyOf(parts),
  } as unknown as HttpEvent;
}

function proxyEvent(parts: Parts): HttpEvent {
  const { authorization } = parts;
  const own: [string, string][] = authorization === undefined ? [] : [['Authorization', authorization]];
  const all = [...parts.headers.filter(([name]) => name.toLowerCase() !== 'authorization'), ...own];
  const lists = Map.groupBy(all, ([name]) => name);
  return {
    httpMethod: parts.method,
    resource: parts.path,
    path: parts.path,
    headers: Object.fromEntries(all),
    multiValueHeaders: Object.fromEntries(
      [...lists].map(([name, values]) => [name, values.map(([, value]) => value)]),
    ),
    ...bodyOf(parts),
  } as unknown as HttpEvent;
}
