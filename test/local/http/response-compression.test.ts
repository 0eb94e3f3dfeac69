/** Responses of the REST API, in front of a function in this process. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, inflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostedFunction } from '#local/functions/host.ts';
import { preludeContentType, preludeDelimiter } from '#local/functions/lambda-runtime.mjs';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import { createRestServer } from '#local/http/rest-server.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';

const functionArn = 'arn:function';
const minBytes = 1024;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Sends a request to a server whose function has this outcome. */
async function send(
  outcome: InvocationOutcome,
  { streaming = false, minCompressedBytes = minBytes, acceptEncoding = 'gzip' },
): Promise<IncomingMessage> {
  const target = {
    definition: { name: 'Function', logicalId: 'Function' },
    invoke: async () => outcome,
  } as unknown as HostedFunction;
  const integration = {
    kind: 'function',
    functionArn,
    qualifier: 'live',
    streaming,
    timeoutMs: 60_000,
  } as const;
  const listener = await openHttpListener(0);
  stops.push(listener.close);
  listener.serve(
    createRestServer({
      api: { apiId: 'api', stage: 'prod', region: 'us-east-1' },
      routes: [{ resourcePath: '/', resourceId: 'root', integrations: new Map([['GET', integration]]) }],
      throttles: { admit: () => true },
      minCompressedBytes,
      gatewayResponse: () => ({ status: 503, headers: {}, body: '' }),
      functionsByArn: new Map([[functionArn, target]]),
      reportDisconnects: false,
      onError: () => {},
    }),
  );
  const request = httpRequest(listener.origin, { headers: { 'accept-encoding': acceptEncoding } }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const returned = (body: string, headers: Record<string, string> = {}): InvocationOutcome => ({
  kind: 'returned',
  payload: JSON.stringify({ statusCode: 200, headers, body }),
});

const long = JSON.stringify({ text: 'ä'.repeat(minBytes / 2) });

describe('A buffered response', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'gzip', gunzipSync],
    ['br, deflate;q=0.5', 'deflate', inflateSync],
  ] as const)('is compressed for accept-encoding: %s', async (acceptEncoding, encoding, decompress) => {
    const response = await send(returned(long), { acceptEncoding });
    const body = await buffer(response);

    expect(response.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json',
    });
    expect(decompress(body).toString()).toBe(long);
    expect(body.length).toBeLessThan(100);
  });

  it.each([
    ['a client that accepts Brotli only', returned(long), { acceptEncoding: 'br' }],
    ['a client that refuses gzip', returned(long), { acceptEncoding: 'gzip;q=0' }],
    ['a client that accepts everything', returned(long), { acceptEncoding: '*' }],
    ['a small body', returned('a'.repeat(minBytes - 1)), {}],
    ['a body that is encoded', returned(long, { 'content-encoding': 'identity' }), {}],
    ['an API without compression', returned(long), { minCompressedBytes: Number.POSITIVE_INFINITY }],
  ])('stays as it is: %s', async (_, outcome, settings) => {
    const response = await send(outcome, settings);
    const { body } = JSON.parse(outcome.kind === 'returned' ? outcome.payload : '{}') as { body: string };

    expect((await buffer(response)).toString()).toBe(body);
    expect(response.headers['content-encoding'] ?? 'identity').toBe('identity');
  });
});

describe('A stream', () => {
  it('is neither compressed nor held back, however long it is', async () => {
    const body = new PassThrough();
    const prelude = JSON.stringify({ statusCode: 200, headers: { 'content-type': 'text/event-stream' } });
    body.write(prelude + preludeDelimiter + long);
    const outcome = { kind: 'streaming', contentType: preludeContentType, body } as InvocationOutcome;
    const response = await send(outcome, { streaming: true });

    expect(response.headers).not.toHaveProperty('content-encoding');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.toString()).toBe(long);
    // The function has not ended.
    body.end('data: [DONE]\n\n');
    expect((await buffer(response)).toString()).toBe('data: [DONE]\n\n');
  });
});
