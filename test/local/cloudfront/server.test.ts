/** A distribution in front of an origin of the test. */
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { readDistribution } from '#local/cloudfront/distribution.ts';
import { connectToRestApi } from '#local/cloudfront/rest-api-origin.ts';
import { createDistributionServer } from '#local/cloudfront/server.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';
import type { StoredObject } from '#local/s3/deployed-objects.ts';
import { listen } from '#test/support/http/listen.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { apiOrigin, bucketOrigin, type DashboardOptions, dashboardResources } from '../dashboard-fixture.ts';
import { createStackFixture, restApi } from '../stack-fixture.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const home: StoredObject = {
  body: Buffer.from('home'),
  contentType: 'text/html',
  cacheControl: undefined,
  etag: '"1"',
  lastModified: new Date(0),
};

/** Returns the origin of the distribution. Its API is at `/reports/*`. */
async function serve(
  restApiOrigin: string,
  options: DashboardOptions = {},
  onError: (message: string) => void = () => {},
): Promise<string> {
  const listener = await openHttpListener(0);
  const origin = connectToRestApi(restApiOrigin);
  cleanups.push(listener.close, origin.close);
  const stack = createStackFixture({ ...restApi, ...dashboardResources(options) });
  listener.serve(
    createDistributionServer({
      distribution: readDistribution(stack),
      publicOrigin: listener.origin,
      buckets: new Map([['fixture-bucket', new Map([['home.html', home]])]]),
      restApi: origin,
      onError,
    }),
  );
  return listener.origin;
}

async function startOrigin(respond: RequestListener): Promise<string> {
  const { address, stop } = await listen(createServer(respond));
  cleanups.push(stop);
  return `http://${address}`;
}

describe('Origin of the API', () => {
  it('gets the path as the browser sent it', async () => {
    const origin = await startOrigin((request, response) => response.end(request.url));
    const { port } = new URL(await serve(origin));
    const path = '/reports/%61/../b?c=%64';
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    get({ port, path, host: '127.0.0.1' }, resolve);

    expect(await text(await promise)).toBe(path);
  });

  it('is unavailable: 502', async () => {
    const response = await fetch(`${await serve(await unreachableEndpoint())}/reports/1`);

    expect(response.status).toBe(502);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toContain('The origin could not be reached');
  });

  it('does not respond in time: 504', async () => {
    const origin = await startOrigin(() => {});
    const impatient = { ...apiOrigin.CustomOriginConfig, OriginReadTimeout: 0.05 };
    const distribution = {
      Origins: [bucketOrigin, { ...apiOrigin, CustomOriginConfig: impatient }],
    };
    const response = await fetch(`${await serve(origin, { distribution })}/reports/1`, {
      method: 'POST',
      body: '{}',
    });

    expect(response.status).toBe(504);
  });

  it('closes the connection within its response: the browser sees it', async () => {
    const origin = await startOrigin((_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy());
    });
    const response = await fetch(`${await serve(origin)}/reports/1`);

    await expect(response.text()).rejects.toThrow('terminated');
  });
});

describe('Headers policy', () => {
  const originHeaders = {
    'content-security-policy': 'own',
    'referrer-policy': 'own',
    server: 'own',
    'x-other': 'own',
  };

  it('replaces headers of the origin if it overrides, adds missing ones and removes others', async () => {
    const origin = await startOrigin((_, response) => response.writeHead(200, originHeaders).end());
    const headersPolicy = {
      CustomHeadersConfig: {
        Items: [
          { Header: 'X-Other', Value: 'policy', Override: false },
          { Header: 'X-New', Value: 'policy', Override: false },
        ],
      },
      RemoveHeadersConfig: { Items: [{ Header: 'Server' }] },
      SecurityHeadersConfig: {
        ContentSecurityPolicy: { ContentSecurityPolicy: 'policy', Override: true },
        ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: false },
      },
    };
    const { headers } = await fetch(`${await serve(origin, { headersPolicy })}/reports/1`);

    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': 'policy',
      'referrer-policy': 'own',
      'x-other': 'own',
      'x-new': 'policy',
    });
    expect(headers.has('server')).toBe(false);
  });
});

describe('Cookies', () => {
  const safari =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
  const chrome =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36';
  const session = '__Host-session=a=b; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Strict';
  const theme = 'theme=dark; Path=/';

  /** Sends a cookie and returns it as the origin received it, with the cookies that the browser got back. */
  async function exchangeCookies(userAgent: string, cookie: string) {
    let received: string | undefined;
    const origin = await startOrigin((request, response) => {
      received = request.headers.cookie;
      response.setHeader('set-cookie', [session, theme]).end();
    });
    const { headers } = await fetch(`${await serve(origin)}/reports/1`, {
      headers: { 'user-agent': userAgent, cookie },
    });
    return { received, returned: headers.getSetCookie() };
  }

  it('have neither Secure nor its prefix in Safari, which refuses them over http', async () => {
    const { received, returned } = await exchangeCookies(safari, 'Host-session=a=b; theme=dark');

    expect(returned).toEqual(['Host-session=a=b; Path=/; Max-Age=600; HttpOnly; SameSite=Strict', theme]);
    expect(received).toBe('__Host-session=a=b; theme=dark');
  });

  it('may be missing in Safari', async () => {
    const origin = await startOrigin((request, response) => response.end(String(request.headers.cookie)));
    const response = await fetch(`${await serve(origin)}/reports/1`, { headers: { 'user-agent': safari } });

    expect(await response.text()).toBe('undefined');
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  it('are unchanged in other browsers', async () => {
    const { received, returned } = await exchangeCookies(chrome, 'Host-session=1; __Host-session=2');

    expect(returned).toEqual([session, theme]);
    expect(received).toBe('Host-session=1; __Host-session=2');
  });
});

describe('Viewer function', () => {
  it('gets the request as CloudFront describes it', async () => {
    const errors: string[] = [];
    const viewerFunction = 'function handler(event) { throw new Error(JSON.stringify(event.request)); }';
    const origin = await serve('http://127.0.0.1:1', { viewerFunction }, (message) => errors.push(message));
    const response = await fetch(`${origin}/keys/a%20b?x=1&x=2&y=`, {
      headers: { cookie: 'one=1; two=2=2', 'X-Custom': 'Yes' },
    });
    const described = JSON.parse(errors[0]?.replace('Viewer function: Error: ', '') ?? '');

    expect(response.status).toBe(503);
    expect(described).toEqual({
      method: 'GET',
      uri: '/keys/a%20b',
      querystring: { x: { value: '1', multiValue: [{ value: '1' }, { value: '2' }] }, y: { value: '' } },
      headers: expect.objectContaining({ 'x-custom': { value: 'Yes' } }),
      cookies: { one: { value: '1' }, two: { value: '2=2' } },
    });
    expect(described.headers).not.toHaveProperty('cookie');
  });

  it.each([
    ['returns a response', '{ statusCode: 302 }'],
    ['changes the query', '{ ...event.request, querystring: { a: { value: "1" } } }'],
  ])('that %s fails: 503', async (_, result) => {
    const errors: string[] = [];
    const viewerFunction = `async function handler(event) { return ${result}; }`;
    const origin = await serve('http://127.0.0.1:1', { viewerFunction }, (message) => errors.push(message));

    expect((await fetch(origin)).status).toBe(503);
    expect(errors).toEqual([
      'Viewer function: Rewrite: the local run supports only functions that return the request with another URI',
    ]);
  });

  it('has neither a network nor a process', async () => {
    const errors: string[] = [];
    const viewerFunction = 'function handler() { throw new Error([typeof fetch, typeof process].join()); }';
    const origin = await serve('http://127.0.0.1:1', { viewerFunction }, (message) => errors.push(message));
    await fetch(origin);

    expect(errors).toEqual(['Viewer function: Error: undefined,undefined']);
  });

  it('leaves the default root object to the distribution', async () => {
    const viewerFunction = 'function handler(event) { return event.request; }';
    const distribution = { DefaultRootObject: 'home.html' };
    const response = await fetch(await serve('http://127.0.0.1:1', { viewerFunction, distribution }));

    expect(await response.text()).toBe('home');
  });
});
