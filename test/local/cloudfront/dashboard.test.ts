/** The distribution of the fixture template in front of its bucket and its REST API. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentSecurityPolicy, dashboardResources, pageFiles, writePage } from '../dashboard-fixture.ts';
import { type GatewayFixture, probe, read, startGatewayFixture } from '../gateway-fixture.ts';

let gateway: GatewayFixture;
let origin: string;

beforeAll(async () => {
  gateway = await startGatewayFixture({
    resources: dashboardResources(),
    assets: { page: writePage() },
  });
  origin = gateway.dashboardUrl ?? '';
});

afterAll(() => gateway.stop());

interface Received {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** `fetch` would decompress the body, and does not send a chosen `Host`. */
async function send(path: string, options: RequestOptions & { body?: string } = {}): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { body, ...request } = options;
  httpRequest(origin, { path, ...request }, resolve)
    .on('error', reject)
    .end(body);
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const connectionHeaders = { connection: 'keep-alive', date: expect.any(String) };
const anyDate = expect.stringMatching(/ GMT$/);
const script = '/assets/app-1.js';

describe('Page', () => {
  it.each(['/', '/keys', '/models/gpt-4.1', '/people/jo@acme.example'])('is served for %s', async (path) => {
    const response = await send(path);

    expect(response.body.toString()).toBe(pageFiles['index.html']);
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html', 'cache-control': 'no-cache' },
    });
  });

  it('has exactly the headers of the upload and of the headers policy', async () => {
    const { headers } = await send('/');

    expect(headers).toEqual({
      ...securityHeaders,
      ...connectionHeaders,
      'cache-control': 'no-cache',
      'content-length': String(Buffer.byteLength(pageFiles['index.html'] ?? '')),
      'content-type': 'text/html',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      'last-modified': anyDate,
    });
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await send('/');
    const again = await send('/', { headers: { 'if-none-match': `W/${headers.etag}` } });
    const later = await send('/', { headers: { 'if-modified-since': headers['last-modified'] } });
    const other = await send('/', { headers: { 'if-none-match': '"other"' } });

    const notModified = {
      ...securityHeaders,
      ...connectionHeaders,
      'cache-control': 'no-cache',
      etag: headers.etag,
      'last-modified': headers['last-modified'],
    };
    expect(again).toEqual({ status: 304, headers: notModified, body: Buffer.alloc(0) });
    expect(later.status).toBe(304);
    expect(other.status).toBe(200);
  });

  it('is described to HEAD without a body', async () => {
    const { status, headers, body } = await send('/', { method: 'HEAD' });

    expect([status, headers['content-length'], body.length]).toEqual([
      200,
      String(pageFiles['index.html']?.length),
      0,
    ]);
  });
});

describe('Assets', () => {
  it.each([
    ['Brotli', 'gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ] as const)('are compressed with %s', async (_, acceptEncoding, encoding, decompress) => {
    const { headers, body } = await send(script, { headers: { 'accept-encoding': acceptEncoding } });

    expect(headers).toEqual({
      ...securityHeaders,
      ...connectionHeaders,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': encoding,
      'content-length': String(body.length),
      'content-type': 'text/javascript',
      etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
      'last-modified': anyDate,
      vary: 'Accept-Encoding',
    });
    expect(decompress(body).toString()).toBe(pageFiles['assets/app-1.js']);
  });

  it.each([
    ['a client that accepts no encoding', script, undefined],
    ['less than 1,000 bytes', '/assets/small-2.js', 'br'],
    ['a type that is already compressed', '/assets/inter-3.woff2', 'br'],
  ])('are not compressed for %s', async (_, path, acceptEncoding) => {
    const { headers, body } = await send(path, {
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    });

    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString()).toBe(pageFiles[path.slice(1)]);
  });

  it.each(['/assets/missing.js', '/assets/APP-1.js', '/assets/../index.html', '/assets/%E0%A4%A'])(
    'are forbidden when they do not exist, as S3 tells nobody which objects it has: %s',
    async (path) => {
      const response = await send(path);

      expect(response.status).toBe(403);
      expect(response.headers).toMatchObject({ ...securityHeaders, 'content-type': 'application/xml' });
      expect(response.body.toString()).toContain('<Code>AccessDenied</Code>');
    },
  );
});

describe('REST API behind the distribution', () => {
  it('gets method, path, query, headers, cookies and body', async () => {
    const response = await send('/reports/a%20b?x=1&x=2&do=event', {
      headers: { cookie: '__Host-session=1; theme=dark', 'x-dashboard': '1' },
    });
    const event: APIGatewayProxyEvent = JSON.parse(response.body.toString());

    expect(event).toMatchObject({
      path: '/reports/a%20b',
      httpMethod: 'GET',
      multiValueQueryStringParameters: { x: ['1', '2'], do: ['event'] },
    });
    expect(event.headers).toMatchObject({
      cookie: '__Host-session=1; theme=dark',
      'x-dashboard': '1',
      Host: new URL(gateway.baseUrl).host,
    });
  });

  it('returns its headers with those of the headers policy, and uncompressed', async () => {
    const { headers } = await send('/reports/1?do=event', { headers: { 'accept-encoding': 'br' } });

    expect(headers).toMatchObject({
      ...securityHeaders,
      'content-type': 'application/json',
      'x-report': 'yes',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each([
    ['an unknown path', 'GET', '/reports/1/2', 404],
    ['a method without a function', 'DELETE', '/reports/1', 405],
    ['a failed function', 'GET', '/reports/1?do=throw', 503],
  ])('keeps its own response to %s', async (_, method, path, status) => {
    const response = await fetch(`${origin}${path}`, { method });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: expect.any(String) } });
  });
});

describe('Streaming through the distribution', () => {
  let streaming: GatewayFixture;

  beforeAll(async () => {
    streaming = await startGatewayFixture({
      resources: dashboardResources({ apiBehavior: { PathPattern: 'streams' } }),
      assets: { page: writePage() },
    });
  });

  afterAll(() => streaming.stop());

  it('passes each chunk on before the next is written', async () => {
    const response = await probe(`${streaming.dashboardUrl}/streams`, 'chunk by chunk', { body: 'a body' });
    const reader = (response.body ?? new ReadableStream()).getReader();
    for (const chunk of ['one', 'two', 'three']) {
      const { value } = await reader.read();
      expect(Buffer.from(value).toString()).toBe(chunk);
      (await streaming.invocations.next()).respond();
    }

    expect((await reader.read()).done).toBe(true);
  });

  it('passes the body of a request on', async () => {
    const body = 'x'.repeat(200_000);
    const response = await probe(`${streaming.dashboardUrl}/streams`, 'event', { body });

    expect((await read<{ event: APIGatewayProxyEvent }>(response)).event.body).toBe(body);
  });

  it('closes the connection to the origin when the browser disconnects', async () => {
    const controller = new AbortController();
    const response = await probe(`${streaming.dashboardUrl}/streams`, 'write after a hang-up', {
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    const incompleteRequests = () => streaming.logLines.filter((line) => line.endsWith('(incomplete)'));
    expect(incompleteRequests()).toEqual([]);
    controller.abort();
    await expect.poll(incompleteRequests).toEqual([expect.stringMatching(/^POST \/streams 200 /)]);
    (await streaming.invocations.next()).respond();
    const call = await streaming.invocations.next();
    call.respond();

    // The REST API does not tell the function.
    expect(call.message).toBe('finished true');
  });
});

describe('A request that the distribution refuses', () => {
  it.each([
    ['a method that the behavior does not allow', { method: 'POST', path: '/' }],
    ['GET with a body', { method: 'GET', path: '/', body: '{}', headers: { 'content-length': '2' } }],
  ])('is %s', async (_, { path, ...request }) => {
    const response = await send(path, request);

    expect(response.status).toBe(403);
    expect(response.headers).toMatchObject({ ...securityHeaders, 'x-cache': 'Error from cloudfront' });
    expect(response.body.toString()).toContain('The request could not be satisfied.');
  });

  it('is redirected when it is for another host', async () => {
    const host = `localhost:${new URL(origin).port}`;
    const response = await send('/keys?page=2', { headers: { host } });
    const call = await send('/reports/1', { method: 'POST', headers: { host } });

    expect([response.status, response.headers.location]).toEqual([307, `${origin}/keys?page=2`]);
    expect(call.status).toBe(403);
  });
});

it('tells where the dashboard is', () => {
  expect(gateway.connection).toMatchObject({ dashboard_url: origin, sign_in_url: null });
  expect(gateway).toMatchObject({ signInUrl: null, mailbox: null });
});
