/** What may go where between the gateway and a provider that is not what it should be. */
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
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/openai-responses.ts';
import {
  eventStream,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages };

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'of status %i is not followed, by nobody and with nothing',
    async (status) => {
      const elsewhere = await bench.setUp();
      const { upstream, gateway } = await bench.setUp();
      const location = `${elsewhere.upstream.baseUrl}/chat/completions`;
      for (const stream of [false, true]) {
        upstream.script(jsonResponse({ error: { message: location } }, { status, headers: { location } }));
        const reply = await gateway.post({ ...request, stream });
        expect([reply.status, reply.headers.location, JSON.parse(reply.text).error]).toEqual([
          502,
          undefined,
          {
            message: `The provider openai answered with a redirect (status ${status}), which is not followed: its operator corrects its base URL`,
            type: 'api_error',
            param: null,
            code: 'provider_error',
          },
        ]);
      }
      expect(elsewhere.upstream.requests).toEqual([]);
      expect(upstream.requests).toHaveLength(2);
      expect((await gateway.entries()).map(({ outcome, status: told }) => [outcome, told])).toEqual([
        ['provider_error', 502],
        ['provider_error', 502],
      ]);
    },
  );
});

describe('a server that nobody vouches for', () => {
  const read = (name: string) => readFileSync(path.join(import.meta.dirname, '../../../support/tls', name));

  it.each(['as it is', 'where the environment would let it pass'])(
    'gets no byte of a request, %s',
    async (how) => {
      if (how !== 'as it is') vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
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
      const { gateway } = await bench.setUp({
        settings: { openai: { baseUrl: `https://127.0.0.1:${port}/v1` } },
      });

      const reply = await gateway.post(request);

      vi.unstubAllEnvs();
      server.close();
      expect([reply.status, JSON.parse(reply.text).error]).toEqual([
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

describe("a provider's headers", () => {
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
  };
  const ours = [
    'content-type',
    'x-gateway-provider',
    'x-gateway-provider-request-id',
    'x-gateway-request-id',
  ];

  it.each<[string, Respond, boolean, string[]]>([
    ['a whole answer', jsonResponse({ choices: [] }, { headers }), false, ours],
    [
      'a stream',
      streamResponse(['data: {"choices":[]}\n\ndata: [DONE]\n\n'], {
        headers: { ...eventStream, ...headers },
      }),
      true,
      ['cache-control', ...ours],
    ],
    ['an error', errorResponse(429, { headers }), false, ['retry-after', ...ours]],
  ])('do not pass with %s, but for its id and the time to come again', async (_, answer, stream, passed) => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(answer);
    const reply = await gateway.post({ ...request, stream });
    expect(Object.keys(reply.headers).sort()).toEqual(passed.toSorted());
    expect(reply.headers).toMatchObject({
      'x-gateway-provider': 'openai',
      'x-gateway-provider-request-id': 'req_1',
      'x-gateway-request-id': (await gateway.entries())[0]?.id,
    });
  });
});

describe('a bomb', () => {
  const megabyte = 1024 * 1024;
  const blank = Buffer.alloc(64 * megabyte, ' ');
  const bombs: [string, Buffer][] = [
    ['gzip', zlib.gzipSync(blank, { level: 1 })],
    ['deflate', zlib.deflateSync(blank, { level: 1 })],
    ['br', zlib.brotliCompressSync(blank, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ];
  const forms: [string, number, string, number, string][] = [
    ['a whole answer', 200, 'application/json', 2 * megabyte, 'provider_error'],
    ['a stream', 200, 'text/event-stream', 17 * megabyte, 'provider_error'],
    ['an error', 503, 'application/json', megabyte, 'provider_unavailable'],
  ];

  it.each(bombs.flatMap(([encoding, bytes]) => forms.map((form) => [encoding, ...form, bytes] as const)))(
    'of %s in %s is not let off',
    async (encoding, _, status, contentType, mostBytes, code, bytes) => {
      let taken = 0;
      const send = createHttpTransport();
      const transport: HttpTransport = async (...sent) => {
        const reply = await send(...sent);
        const read = (take: ChunkConsumer) =>
          reply.read((piece) => {
            taken += piece.length;
            return take(piece);
          });
        return { ...reply, read };
      };
      const { upstream, gateway } = await bench.setUp({
        services: { transport },
        limits: { maxCompletionBytes: 2 * megabyte },
      });
      upstream.script(
        jsonResponse(bytes, {
          status,
          headers: { 'content-type': contentType, 'content-encoding': encoding },
        }),
      );
      const reply = await gateway.post({ ...request, stream: true });
      expect(JSON.parse(reply.text).error.code).toBe(code);
      expect(taken).toBeLessThan(mostBytes + 128 * 1024);
      expect((await gateway.entries())[0]).toMatchObject({ outcome: 'provider_error' });
    },
  );

  it.each(['gzip, gzip', 'br, gzip', 'zstd', 'x'])('in the wrapping %j is not unpacked', async (encoding) => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(jsonResponse('{}', { headers: { 'content-encoding': encoding } }));
    const reply = await gateway.post(request);
    expect([reply.status, JSON.parse(reply.text).error.message]).toEqual([
      502,
      `The provider compressed its answer as ${encoding}`,
    ]);
  });
});
