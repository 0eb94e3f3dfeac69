import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ChunkConsumer,
  createHttpTransport,
  type HttpTransport,
} from '#lambdas/inference/providers/http/client.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import {
  eventStream,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages };

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

describe('Redirects', () => {
  it.each([301, 302, 303, 307, 308])(
    'does not follow or forward a redirect with status %i',
    async (status) => {
      const target = await fixture.setUp();
      const { upstream, gateway } = await fixture.setUp();
      const location = `${target.upstream.baseUrl}/chat/completions`;
      for (const stream of [false, true]) {
        upstream.script(jsonResponse({ error: { message: location } }, { status, headers: { location } }));
        const response = await gateway.post({ ...request, stream });
        expect([response.status, response.headers.location, JSON.parse(response.text).error]).toEqual([
          502,
          undefined,
          {
            message: `The provider openai returned a redirect (status ${status}), which is not followed: the gateway's operator must correct the base URL`,
            type: 'api_error',
            param: null,
            code: 'provider_error',
          },
        ]);
      }
      expect(target.upstream.requests).toEqual([]);
      expect(upstream.requests).toHaveLength(2);
      expect((await gateway.entries()).map((entry) => [entry.outcome, entry.status])).toEqual([
        ['provider_error', 502],
        ['provider_error', 502],
      ]);
    },
  );
});

describe('Untrusted certificate', () => {
  const read = (name: string) => readFileSync(path.join(import.meta.dirname, '../../../support/tls', name));

  it.each([undefined, '0'])(
    'rejects a self-signed certificate with NODE_TLS_REJECT_UNAUTHORIZED=%s',
    async (value) => {
      if (value !== undefined) vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
      let requests = 0;
      const server = createServer(
        { key: read('self-signed.key.pem'), cert: read('self-signed.cert.pem') },
        (_, response) => {
          requests += 1;
          response.end('{}');
        },
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { gateway } = await fixture.setUp({
        settings: { openai: { baseUrl: `https://127.0.0.1:${port}/v1` } },
      });

      const response = await gateway.post(request);

      vi.unstubAllEnvs();
      server.close();
      expect([response.status, JSON.parse(response.text).error]).toEqual([
        502,
        {
          message: 'The provider could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
          type: 'api_error',
          param: null,
          code: 'provider_unavailable',
        },
      ]);
      expect(requests).toBe(0);
    },
  );
});

describe('Response headers', () => {
  const headers = {
    'set-cookie': 'session=1',
    location: 'https://elsewhere.example.com',
    'www-authenticate': 'Basic',
    server: 'nginx',
    'x-powered-by': 'PHP',
    'access-control-allow-origin': '*',
    'x-gateway-provider': 'another',
    'x-gateway-request-id': 'another',
    'openai-organization': 'ours',
    'x-request-id': 'req_1',
    'retry-after': '7',
    'retry-after-ms': '6500',
  };
  const gatewayHeaders = [
    'content-type',
    'x-gateway-provider',
    'x-gateway-provider-request-id',
    'x-gateway-request-id',
    'x-request-id',
  ];

  it.each<[string, Respond, boolean, string[]]>([
    [
      'a completion',
      jsonResponse({ choices: [{ finish_reason: 'stop' }] }, { headers }),
      false,
      gatewayHeaders,
    ],
    [
      'a stream',
      streamResponse(['data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'], {
        headers: { ...eventStream, ...headers },
      }),
      true,
      ['cache-control', ...gatewayHeaders],
    ],
    [
      'an error',
      errorResponse(429, { headers }),
      false,
      ['retry-after', 'retry-after-ms', ...gatewayHeaders],
    ],
  ])(
    'forwards only the request id and the delay before a retry of %s',
    async (_, respond, stream, expected) => {
      const { upstream, gateway } = await fixture.setUp();
      upstream.script(respond);
      const response = await gateway.post({ ...request, stream });
      expect(Object.keys(response.headers).sort()).toEqual(expected.toSorted());
      expect(response.headers).toMatchObject({
        'x-gateway-provider': 'openai',
        'x-gateway-provider-request-id': 'req_1',
        'x-gateway-request-id': (await gateway.entries())[0]?.id,
        'x-request-id': (await gateway.entries())[0]?.id,
      });
    },
  );
});

describe('Compression bombs', () => {
  const megabyte = 1024 * 1024;
  const blank = Buffer.alloc(64 * megabyte, ' ');
  const bombs: [string, Buffer][] = [
    ['gzip', zlib.gzipSync(blank, { level: 1 })],
    ['deflate', zlib.deflateSync(blank, { level: 1 })],
    ['br', zlib.brotliCompressSync(blank, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ];
  const kinds: [string, number, string, number, string][] = [
    ['a completion', 200, 'application/json', 2 * megabyte, 'provider_error'],
    ['a stream', 200, 'text/event-stream', 17 * megabyte, 'provider_error'],
    ['an error', 503, 'application/json', megabyte, 'provider_unavailable'],
  ];

  it.each(bombs.flatMap(([encoding, bytes]) => kinds.map((kind) => [encoding, ...kind, bytes] as const)))(
    'stops decompressing a %s bomb in %s',
    async (encoding, _, status, contentType, maxBytes, code, bytes) => {
      let bytesRead = 0;
      const send = createHttpTransport();
      const transport: HttpTransport = async (...transportArguments) => {
        const response = await send(...transportArguments);
        const read = (consume: ChunkConsumer) =>
          response.read((chunk) => {
            bytesRead += chunk.length;
            return consume(chunk);
          });
        return { ...response, read };
      };
      const { upstream, gateway } = await fixture.setUp({
        dependencies: { transport },
        limits: { maxResponseBytes: 2 * megabyte },
      });
      upstream.script(
        jsonResponse(bytes, {
          status,
          headers: { 'content-type': contentType, 'content-encoding': encoding },
        }),
      );
      const response = await gateway.post({ ...request, stream: true });
      expect(JSON.parse(response.text).error.code).toBe(code);
      expect(bytesRead).toBeLessThan(maxBytes + 128 * 1024);
      expect((await gateway.entries())[0]).toMatchObject({ outcome: 'provider_error' });
    },
  );

  it.each(['gzip, gzip', 'br, gzip', 'zstd', 'x'])('rejects the content encoding %j', async (encoding) => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(jsonResponse('{}', { headers: { 'content-encoding': encoding } }));
    const response = await gateway.post(request);
    expect([response.status, JSON.parse(response.text).error.message]).toEqual([
      502,
      `The provider's response has an unsupported content encoding: ${encoding}`,
    ]);
  });
});
