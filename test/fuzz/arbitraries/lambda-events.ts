import type { HttpEvent } from '#lambdas/platform/http/lambda-event.ts';
import { fc } from '#test/support/fast-check.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { anyName, anyText } from './json.ts';

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

const chatPaths = [chatPath, `${chatPath}/`, '/ai/v1/chat/completions', '/ai/v1/chat/completions/'];

const path = fc.oneof(
  { weight: 36, arbitrary: fc.constantFrom(...chatPaths) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/ai/models',
      '/ai/models/openai%2Fgpt-4o',
      '/ai/models/%',
      '/',
      '/ai/chat/completions//',
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
  hasValidKey: boolean;
}

export interface EventOptions {
  apiKey: string;
  body: fc.Arbitrary<string>;
}

export function lambdaEvent({ apiKey, body }: EventOptions): fc.Arbitrary<FuzzEvent> {
  const validAuthorization = `Bearer ${apiKey}`;
  const validKeys: Record<string, string>[] = [
    { authorization: validAuthorization },
    { 'x-api-key': apiKey },
    { authorization: '', 'x-api-key': apiKey },
    { authorization: `Basic ${apiKey}`, 'x-api-key': apiKey },
  ];
  const invalidAuthorization = fc.oneof(
    fc.constantFrom(
      `${validAuthorization}, ${validAuthorization}`,
      apiKey,
      `Basic ${apiKey}`,
      validAuthorization.slice(0, -1),
      `${validAuthorization}\u00a0`,
      `Bearer ${'a'.repeat(10_000)}`,
    ),
    headerValue,
  );
  const keyHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...validKeys) },
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: invalidAuthorization.map((authorization) => ({ authorization })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(`${apiKey}, ${apiKey}`, validAuthorization)
        .map((key) => ({ 'x-api-key': key })),
    },
  );
  return fc
    .record({
      path,
      method,
      keyHeaders,
      headers: headerList,
      body: fc.option(body, { freq: 20 }),
      encoded: fc.integer({ min: 0, max: 15 }),
      isProxy: fc.boolean(),
    })
    .map((fields) => ({
      event: fields.isProxy ? restEvent(fields) : urlEvent(fields),
      isChat: chatPaths.includes(fields.path) && fields.method === 'POST',
      hasValidKey: validKeys.includes(fields.keyHeaders),
    }));
}

interface EventFields {
  path: string;
  method: string;
  keyHeaders: Record<string, string>;
  headers: [string, string][];
  body: string | null;
  /** 0: malformed base64. 1 to 5: base64. Above: plain text. */
  encoded: number;
}

function encodeEventBody({ body, encoded }: EventFields): { body: string | null; isBase64Encoded: boolean } {
  if (body === null || encoded > 5) return { body, isBase64Encoded: false };
  const base64 = Buffer.from(body).toString('base64');
  return { body: encoded === 0 ? base64.slice(3) : base64, isBase64Encoded: true };
}

/** A function URL lower-cases header names. The last of several equal names wins. */
function urlEvent(fields: EventFields): HttpEvent {
  const headers = fields.headers.map(([name, value]) => [name.toLowerCase(), value]);
  return {
    version: '2.0',
    rawPath: fields.path,
    headers: { ...Object.fromEntries(headers), ...fields.keyHeaders },
    requestContext: { http: { method: fields.method } },
    ...encodeEventBody(fields),
  } as unknown as HttpEvent;
}

function restEvent(fields: EventFields): HttpEvent {
  const { keyHeaders } = fields;
  const all: [string, string][] = [
    ...fields.headers.filter(([name]) => keyHeaders[name.toLowerCase()] === undefined),
    ...Object.entries(keyHeaders),
  ];
  const lists = Map.groupBy(all, ([name]) => name);
  return proxyEvent({
    httpMethod: fields.method,
    resource: fields.path,
    path: fields.path,
    headers: Object.fromEntries(all),
    multiValueHeaders: Object.fromEntries(
      [...lists].map(([name, values]) => [name, values.map(([, value]) => value)]),
    ),
    ...encodeEventBody(fields),
  });
}
