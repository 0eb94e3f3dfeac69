/** When a request is sent again: where that cannot be charged twice, and only until an answer has begun. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpTransport, type HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { deltaChunk, event } from '#test/support/providers/openai/openai-events.ts';
import { errorResponse } from '#test/support/providers/openai/openai-responses.ts';
import {
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages };
const streamed = { ...request, stream: true };

const soon = { 'retry-after': '0' };
const limited = errorResponse(429, { headers: soon });

/** Ten seconds after the answer's own time, which is long ago. */
const atDate: Respond = (exchange) => {
  const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
  return errorResponse(503, { headers: { date, 'retry-after': 'Thu, 01 Jan 2026 12:00:00 GMT' } })(exchange);
};

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());

describe('A request is sent again', () => {
  it.each<[string, Respond]>([
    ['that was reset before an answer', resetBeforeHeaders],
    ['that was closed before an answer', ({ cut }) => cut('close')],
    ['that the provider limits for no time', limited],
    [
      'that the provider limits for some milliseconds',
      errorResponse(429, { headers: { 'retry-after-ms': '9.5' } }),
    ],
    ['that an overloaded provider wants again at once', errorResponse(503, { headers: soon })],
    ['that an overloaded provider wants again at a time that has come', atDate],
  ])('%s', async (_, answer) => {
    for (const body of [request, streamed]) {
      const { upstream, gateway } = await bench.setUp();
      upstream.script(answer);

      const reply = await gateway.post(body, { 'gateway-user-id': 'ada' });

      expect(reply.status).toBe(200);
      const [first, second, ...more] = upstream.requests;
      expect(more).toEqual([]);
      expect(second?.body).toEqual(first?.body);
      expect(second?.rawHeaders).toEqual(first?.rawHeaders);
      expect(reply.headers['x-gateway-provider-request-id']).toBe(second?.requestId);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({
          status: 200,
          outcome: 'completed',
          retries: 1,
          total_tokens: 24,
          provider_request_id: second?.requestId,
        }),
      ]);
      expect(gateway.lines.map((line) => line.event)).toEqual(['request_forwarded']);
    }
  });

  it('when the provider was not there, and is a moment later', async () => {
    const server = createServer((_, response) => response.end('{"choices":[]}'));
    const port = await freePort();
    const transport = createHttpTransport();
    const startAfterFailure: HttpTransport = async (...sending) => {
      try {
        return await transport(...sending);
      } catch (error) {
        await once(server.listen(port, '127.0.0.1'), 'listening');
        throw error;
      }
    };
    const { gateway } = await bench.setUp({
      settings: { openai: { baseUrl: `http://127.0.0.1:${port}/v1` } },
      services: { transport: startAfterFailure },
    });

    expect((await gateway.post(request)).status).toBe(200);
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'completed', retries: 1 });
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  it.each([0, 1, 2, 3])('at most as often as the limit says: %i', async (retries) => {
    const { upstream, gateway } = await bench.setUp({ limits: { retries } });
    upstream.script(limited, limited, limited, limited, limited);

    const reply = await gateway.post(request);

    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '0']);
    expect(upstream.requests).toHaveLength(retries + 1);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 429,
      outcome: 'provider_error',
      retries: retries || null,
    });
  });

  it('after a wait that the limit allows, and no earlier', async () => {
    const { upstream, gateway } = await bench.setUp({ limits: { retryAfterMs: 60 } });
    upstream.script(errorResponse(429, { headers: { 'retry-after-ms': '60' } }));
    const startedAt = performance.now();
    expect((await gateway.post(request)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(58);
  });
});

describe('A request is sent once', () => {
  it.each<[string, Respond, number]>([
    [
      'when the provider does not say how long to wait',
      errorResponse(429, { headers: { 'retry-after': '' } }),
      429,
    ],
    [
      'when the provider wants more time than the limit',
      errorResponse(429, { headers: { 'retry-after': '3' } }),
      429,
    ],
    ['when its wait is no time', errorResponse(429, { headers: { 'retry-after': 'soon' } }), 429],
    ['when its wait is before all time', errorResponse(429, { headers: { 'retry-after': '-1' } }), 429],
    [
      'when the account is empty',
      errorResponse(429, { headers: soon, error: { code: 'insufficient_quota' } }),
      429,
    ],
    ['when the provider is overloaded (529)', errorResponse(529, { headers: soon }), 503],
    ['when the provider failed (500)', errorResponse(500, { headers: soon }), 502],
    ['when something before the provider failed (502)', errorResponse(502, { headers: soon }), 502],
    ['when the request is wrong', errorResponse(400, { headers: soon }), 400],
    ['when its answer broke off', jsonHalf(), 502],
    ['when its stream failed at once', streamResponse([], { ending: 'close' }), 502],
  ])('%s', async (_, answer, status) => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(answer);

    expect((await gateway.post(streamed)).status).toBe(status);
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.entries())[0]).toMatchObject({ status, retries: null });
  });

  it('when its connection breaks later than within the first round trip', async () => {
    const { upstream, gateway } = await bench.setUp();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    upstream.script(({ cut }) => {
      vi.advanceTimersByTime(500);
      cut('reset');
    });

    expect((await gateway.post(request)).status).toBe(502);
    vi.useRealTimers();
    expect(upstream.requests).toHaveLength(1);
  });

  it('when its stream has begun', async () => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(streamResponse([event(deltaChunk({ content: 'Hel' }))], { ending: 'close' }));

    expect((await gateway.post(streamed)).text).toContain('broke off');
    expect(upstream.requests).toHaveLength(1);
  });

  it('when its caller goes before the time to send it again has come', async () => {
    const refused = Promise.withResolvers<void>();
    const transport = createHttpTransport();
    const { upstream, gateway } = await bench.setUp({
      limits: { retryAfterMs: 60_000 },
      services: {
        async transport(...sending) {
          const reply = await transport(...sending);
          return { ...reply, read: (take) => reply.read(take).then(refused.resolve) };
        },
      },
    });
    upstream.script(errorResponse(429, { headers: { 'retry-after': '40' } }));
    const timers = countTimers();
    const body = new PassThrough();
    const calling = gateway.call(gateway.event(request), body);
    await refused.promise;
    await nextTurn();
    body.destroy();
    await (await calling).invocation;

    expect(countTimers()).toBeLessThanOrEqual(timers);
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 499,
      outcome: 'client_closed',
      retries: null,
    });
  });

  it.each([{ firstByteMs: 500 }, { totalMs: 500 }])('when there is no time for more: %j', async (limits) => {
    const { upstream, gateway } = await bench.setUp({ limits });
    upstream.script(errorResponse(429, { headers: { 'retry-after-ms': '500' } }));

    expect((await gateway.post(request)).status).toBe(429);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('All attempts at a request', () => {
  it.each(['firstByteMs', 'totalMs'])('share one time (%s)', async (limit) => {
    const { upstream, gateway } = await bench.setUp({ limits: { [limit]: 400 } });
    upstream.script(errorResponse(429, { headers: { 'retry-after-ms': '300' } }), () => {});
    const startedAt = performance.now();

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([504, 'provider_timeout']);
    expect(performance.now() - startedAt).toBeLessThan(650);
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'timeout', retries: 1 });
  });
});

describe('An attempt that is over', () => {
  it('leaves no timer behind', async () => {
    const { upstream, gateway } = await bench.setUp();
    await gateway.post(request);
    const timers = countTimers();
    upstream.script(limited);

    await gateway.post(request);

    expect(upstream.requests).toHaveLength(3);
    expect(countTimers()).toBeLessThanOrEqual(timers);
  });
});

describe('A credential that its provider refuses', () => {
  /** The versions of the secret, one a read; the upstream takes `sk-upstream`. */
  async function setUp(...versions: string[]) {
    let reads = 0;
    const { upstream, gateway } = await bench.setUp({
      credentials: () => ({ openai: { api_key: versions[Math.min(reads++, versions.length - 1)] ?? '' } }),
    });
    return { upstream, gateway, reads: () => reads };
  }
  const keysOf = ({ requests }: { requests: { headers: { authorization?: string } }[] }) =>
    requests.map(({ headers }) => headers.authorization);

  it('is read afresh, and the request sent with the one that has come since, which is no retry', async () => {
    for (const body of [request, streamed]) {
      const { upstream, gateway, reads } = await setUp('sk-old', 'sk-upstream');

      expect((await gateway.post(body)).status).toBe(200);
      expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-upstream']);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({ status: 200, outcome: 'completed', retries: null, total_tokens: 24 }),
      ]);
      expect(gateway.lines).toHaveLength(1);

      await gateway.post(body);
      expect(keysOf(upstream)).toHaveLength(3);
      expect(reads()).toBe(2);
    }
  });

  it('is read once for all requests that meet it at the same time', async () => {
    const { upstream, gateway, reads } = await setUp('sk-old', 'sk-upstream');

    const replies = await Promise.all(Array.from({ length: 10 }, () => gateway.post(request)));

    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(upstream.requests).toHaveLength(20);
    expect(reads()).toBe(2);
  });

  it('is the operator’s to renew when there is no other', async () => {
    const { upstream, gateway, reads } = await setUp('sk-old');

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads()).toBe(2);
  });

  it('is replaced once: the next one may be wrong too', async () => {
    const { upstream, gateway } = await setUp('sk-old', 'sk-older');

    expect((await gateway.post(request)).status).toBe(502);
    expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-older']);
  });

  it('does not use up the retries', async () => {
    const { upstream, gateway } = await setUp('sk-old', 'sk-upstream');
    upstream.script(errorResponse(401), limited);

    expect((await gateway.post(request)).status).toBe(200);
    expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-upstream', 'Bearer sk-upstream']);
    expect((await gateway.entries())[0]).toMatchObject({ retries: 1 });
  });

  it('is not tried for a caller who has gone while it was read', async () => {
    const body = new PassThrough();
    let reads = 0;
    const { upstream, gateway } = await bench.setUp({
      async credentials() {
        reads += 1;
        if (reads === 2) await once(body.destroy(), 'close');
        return { openai: { api_key: reads === 1 ? 'sk-old' : 'sk-upstream' } };
      },
    });

    await (await gateway.call(gateway.event(request), body)).invocation;

    expect([reads, upstream.requests.length]).toEqual([2, 1]);
    expect((await gateway.entries())[0]).toMatchObject({ status: 499, outcome: 'client_closed' });
  });

  it('is not looked for where none was used', async () => {
    let reads = 0;
    const { upstream } = await bench.setUp();
    const { gateway } = await bench.setUp({
      settings: { 'my-llm': { baseUrl: upstream.baseUrl } },
      credentials: () => {
        reads += 1;
        return {};
      },
    });

    expect((await gateway.post({ ...request, model: 'my-llm/llama' })).status).toBe(502);
    expect(upstream.requests).toHaveLength(1);
    expect(reads).toBe(1);
  });
});

/** Calls back when all has been read. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** A whole answer that is cut in its middle. */
function jsonHalf(): Respond {
  return ({ response, cut }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"choices":', () => cut('close'));
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
