import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type HttpEvent, readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';

const urlEvent = (event: Partial<APIGatewayProxyEventV2>): HttpEvent =>
  ({ headers: {}, requestContext: { http: { method: 'POST' } }, rawPath: '/', ...event }) as HttpEvent;

const bodyOf = (event: HttpEvent) => readBodyText(readHttpRequest(event));

describe('Request headers', () => {
  it('lower-cases header names and joins repeated headers', () => {
    const event = proxyEvent({
      headers: { Accept: 'b', X: '2' },
      multiValueHeaders: { Accept: ['a', 'b'], X: ['1'], x: ['2'] },
    });
    expect({ ...readHttpRequest(event).headers }).toEqual({ accept: 'a, b', x: '1, 2' });
  });

  it('joins headers that differ in case when there are no multi-value headers', () => {
    expect({ ...readHttpRequest(proxyEvent({ headers: { A: '1', a: '2' } })).headers }).toEqual({
      a: '1, 2',
    });
  });

  it('has no inherited properties among the headers', () => {
    const { headers } = readHttpRequest(
      proxyEvent({ multiValueHeaders: JSON.parse('{"__proto__":["polluted"],"Constructor":["c"]}') }),
    );
    expect(Object.entries(headers)).toEqual([
      ['__proto__', 'polluted'],
      ['constructor', 'c'],
    ]);
    expect(headers.toString).toBeUndefined();
  });
});

describe('Query parameters', () => {
  it.each([
    ['a function URL', urlEvent({ rawQueryString: 'id=a%2Fb&limit=1&limit=2&empty=&__proto__=x' })],
    [
      'the REST API',
      proxyEvent({
        multiValueQueryStringParameters: JSON.parse(
          '{"id":["a/b"],"limit":["1","2"],"empty":[""],"__proto__":["x"]}',
        ),
      }),
    ],
  ])('have all their values, decoded, at %s', (_case, event) => {
    expect(Object.entries(readHttpRequest(event).readQuery())).toEqual([
      ['id', ['a/b']],
      ['limit', ['1', '2']],
      ['empty', ['']],
      ['__proto__', ['x']],
    ]);
  });

  it.each([
    ['a function URL', urlEvent({ rawQueryString: '' })],
    ['the REST API', proxyEvent({ multiValueQueryStringParameters: null })],
  ])('may be missing at %s', (_case, event) => {
    expect(readHttpRequest(event).readQuery()).toEqual({});
  });
});

describe('Request body', () => {
  it.each([
    ['a text body', { body: 'é', isBase64Encoded: false }, 'é'],
    ['a base64 body', { body: 'w6k=', isBase64Encoded: true }, 'é'],
    ['a missing body', {}, ''],
  ])('reads %s', async (_, event, text) => {
    expect(await bodyOf(urlEvent(event))).toBe(text);
  });

  it('returns 400 for a body that is not UTF-8', async () => {
    await expect(bodyOf(urlEvent({ body: '/w==', isBase64Encoded: true }))).rejects.toMatchObject({
      status: 400,
      param: 'body',
    });
  });

  const tooLarge = expect.objectContaining({
    status: 413,
    code: 'request_too_large',
    message: 'The request body must have at most 6291456 bytes',
  });

  it('returns 413 for a text body over 6 MB, measured in bytes', async () => {
    const largest = 'é'.repeat(maxRequestBytes / 2);
    expect(await bodyOf(urlEvent({ body: largest }))).toBe(largest);
    await expect(bodyOf(urlEvent({ body: `${largest}a` }))).rejects.toEqual(tooLarge);
  });

  it('returns 413 for a base64 body over 6 MB, measured after decoding', async () => {
    const largest = Buffer.alloc(maxRequestBytes, 'a');
    const encoded = (bytes: Buffer) => urlEvent({ body: bytes.toString('base64'), isBase64Encoded: true });
    expect(await bodyOf(encoded(largest))).toHaveLength(maxRequestBytes);
    await expect(bodyOf(encoded(Buffer.concat([largest, Buffer.from('a')])))).rejects.toEqual(tooLarge);
  });

  it.each([undefined, '', 'identity', 'Identity', 'identity, identity'])(
    'accepts content-encoding %j',
    async (encoding) => {
      const headers = { 'content-encoding': encoding };
      expect(await bodyOf(urlEvent({ headers, body: '{}' }))).toBe('{}');
    },
  );

  it.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'GZIP', 'x'])(
    'returns 415 for content-encoding %j at both endpoints',
    async (encoding) => {
      const unsupported = expect.objectContaining({
        status: 415,
        code: 'unsupported_media_type',
        param: 'content-encoding',
        message: 'The request body must not be compressed: send it without content-encoding',
      });
      const url = urlEvent({ headers: { 'content-encoding': encoding }, body: '{}' });
      const proxy = proxyEvent({ headers: { 'Content-Encoding': encoding }, body: '{}' });
      const twice = proxyEvent({
        headers: { 'content-encoding': 'identity' },
        multiValueHeaders: { 'content-encoding': [encoding, 'identity'] },
        body: '{}',
      });
      for (const event of [url, proxy, twice]) await expect(bodyOf(event)).rejects.toEqual(unsupported);
    },
  );
});
