import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpTransport, type HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import {
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages };
const streamed = { ...request, stream: true };

const retryNow = { 'retry-after': '0' };
const rateLimited = errorResponse(429, { headers: retryNow });

/** Returns a `retry-after` that equals the response's own `date`, long before the current time. */
const retryAtDate: Respond = (exchange) => {
  const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
  return errorResponse(503, { headers: { date, 'retry-after': 'Thu, 01 Jan 2026 12:00:00 GMT' } })(exchange);
};

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

describe('Retries', () => {
  it.each<[string, Respond]>([
    ['a connection reset before the response', resetBeforeHeaders],
    ['a connection closed before the response', ({ disconnect }) => disconnect('close')],
    ['429 with retry-after: 0', rateLimited],
    ['429 with retry-after-ms', errorResponse(429, { headers: { 'retry-after-ms': '9.5' } })],
    ['503 with retry-after: 0', errorResponse(503, { headers: retryNow })],
    ['503 with a retry-after date that has passed', retryAtDate],
  ])('retries once after %s', async (_, respond) => {
    for (const body of [request, streamed]) {
      const { upstream, gateway } = await fixture.setUp();
      upstream.script(respond);

      const response = await gateway.post(body, { 'gateway-user-id': 'ada' });

      expect(response.status).toBe(200);
      const [first, second, ...more] = upstream.requests;
      expect(more).toEqual([]);
      expect(second?.body).toEqual(first?.body);
      expect(second?.rawHeaders).toEqual(first?.rawHeaders);
      expect(response.headers['x-gateway-provider-request-id']).toBe(second?.requestId);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({
          status: 200,
          outcome: 'completed',
          retries: 1,
          total_tokens: 24,
          provider_request_id: second?.requestId,
        }),
      ]);
      expect(gateway.lines.map((line) => line.event)).toEqual(['request_forwarded', 'request_completed']);
    }
  });

  it('retries after a refused connection', async () => {
    const server = createServer((_, response) => response.end('{"choices":[{"finish_reason":"stop"}]}'));
    const port = await freePort();
    const transport = createHttpTransport();
    const startAfterFailure: HttpTransport = async (...transportArguments) => {
      try {
        return await transport(...transportArguments);
      } catch (error) {
        await once(server.listen(port, '127.0.0.1'), 'listening');
        throw error;
      }
    };
    const { gateway } = await fixture.setUp({
      settings: { openai: { baseUrl: `http://127.0.0.1:${port}/v1` } },
      dependencies: { transport: startAfterFailure },
    });

    expect((await gateway.post(request)).status).toBe(200);
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'completed', retries: 1 });
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  it.each([0, 1, 2, 3])('retries at most %i times with this limit', async (retries) => {
    const { upstream, gateway } = await fixture.setUp({ limits: { retries } });
    upstream.script(rateLimited, rateLimited, rateLimited, rateLimited, rateLimited);

    const response = await gateway.post(request);

    expect([response.status, response.headers['retry-after']]).toEqual([429, '0']);
    expect(upstream.requests).toHaveLength(retries + 1);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 429,
      outcome: 'provider_error',
      retries: retries || null,
    });
  });

  it('retries after the delay that the provider requests, and not earlier', async () => {
    const { upstream, gateway } = await fixture.setUp({ limits: { retryAfterMs: 60 } });
    upstream.script(errorResponse(429, { headers: { 'retry-after-ms': '60' } }));
    const startedAt = performance.now();
    expect((await gateway.post(request)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(58);
  });
});

describe('No retry', () => {
  it.each<[string, Respond, number]>([
    ['429 without retry-after', errorResponse(429, { headers: { 'retry-after': '' } }), 429],
    [
      '429 with a longer retry-after than the limit',
      errorResponse(429, { headers: { 'retry-after': '3' } }),
      429,
    ],
    ['429 with an invalid retry-after', errorResponse(429, { headers: { 'retry-after': 'soon' } }), 429],
    ['429 with a negative retry-after', errorResponse(429, { headers: { 'retry-after': '-1' } }), 429],
    [
      '429 for an exhausted account',
      errorResponse(429, { headers: retryNow, error: { code: 'insufficient_quota' } }),
      429,
    ],
    ['529 (overloaded)', errorResponse(529, { headers: retryNow }), 503],
    ['500', errorResponse(500, { headers: retryNow }), 502],
    ['502', errorResponse(502, { headers: retryNow }), 502],
    ['400', errorResponse(400, { headers: retryNow }), 400],
    ['a truncated non-streaming response', truncatedCompletion(), 502],
    ['a stream that is closed before its first event', streamResponse([], { ending: 'close' }), 502],
  ])('does not retry after %s', async (_, respond, status) => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(respond);

    expect((await gateway.post(streamed)).status).toBe(status);
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.entries())[0]).toMatchObject({ status, retries: null });
  });

  it('does not retry after a connection reset that follows the first round trip', async () => {
    const { upstream, gateway } = await fixture.setUp();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    upstream.script(({ disconnect }) => {
      vi.advanceTimersByTime(500);
      disconnect('reset');
    });

    expect((await gateway.post(request)).status).toBe(502);
    vi.useRealTimers();
    expect(upstream.requests).toHaveLength(1);
  });

  it('does not retry after the stream has started', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(streamResponse([event(deltaChunk({ content: 'Hel' }))], { ending: 'close' }));

    expect((await gateway.post(streamed)).text).toContain('was truncated');
    expect(upstream.requests).toHaveLength(1);
  });

  it('does not retry after the caller disconnects during the delay', async () => {
    const errorRead = Promise.withResolvers<void>();
    const transport = createHttpTransport();
    const { upstream, gateway } = await fixture.setUp({
      limits: { retryAfterMs: 60_000 },
      dependencies: {
        async transport(...transportArguments) {
          const response = await transport(...transportArguments);
          return { ...response, read: (consume) => response.read(consume).then(errorRead.resolve) };
        },
      },
    });
    upstream.script(errorResponse(429, { headers: { 'retry-after': '40' } }));
    const timers = countTimers();
    const body = new PassThrough();
    const calling = gateway.call(gateway.event(request), body);
    await errorRead.promise;
    await nextTurn();
    body.destroy();
    await (await calling).invocation;

    await expectTimersToEnd(timers);
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 499,
      outcome: 'client_closed',
      retries: null,
    });
  });

  it.each([{ firstByteMs: 50_000 }, { totalMs: 50_000 }])(
    'does not retry when the delay would exceed the deadline %j',
    async (deadline) => {
      const limits = { ...deadline, retryAfterMs: 60_000 };
      const { upstream, gateway } = await fixture.setUp({ limits, remainingMs: 120_000 });
      upstream.script(errorResponse(429, { headers: { 'retry-after-ms': '50000' } }));

      expect((await gateway.post(request)).status).toBe(429);
      expect(upstream.requests).toHaveLength(1);
    },
  );
});

describe('Deadlines of several attempts', () => {
  it.each(['firstByteMs', 'totalMs'])('applies one deadline to all attempts (%s)', async (limit) => {
    const deadlineMs = 700_000;
    let nowMs = Date.now();
    const { upstream, gateway } = await fixture.setUp({
      limits: { firstByteMs: deadlineMs * 2, totalMs: deadlineMs * 2, [limit]: deadlineMs },
      remainingMs: deadlineMs * 2,
      dependencies: { now: () => new Date(nowMs) },
    });
    upstream.script(
      (exchange) => {
        // A deadline for each attempt would outlast the test.
        nowMs += deadlineMs - 100;
        rateLimited(exchange);
      },
      () => {},
    );

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text).error.code]).toEqual([504, 'provider_timeout']);
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'timeout', retries: 1 });
  });
});

describe('Timers', () => {
  it('clears the timers of each attempt', async () => {
    const { upstream, gateway } = await fixture.setUp();
    await gateway.post(request);
    const timers = countTimers();
    upstream.script(rateLimited);

    await gateway.post(request);

    expect(upstream.requests).toHaveLength(3);
    await expectTimersToEnd(timers);
  });
});

describe('Rejected credential', () => {
  /** Each read returns the next version of the secret. The upstream accepts `sk-upstream`. */
  async function setUp(...versions: string[]) {
    let reads = 0;
    const { upstream, gateway } = await fixture.setUp({
      credentials: () => ({ openai: { api_key: versions[Math.min(reads++, versions.length - 1)] ?? '' } }),
    });
    return { upstream, gateway, reads: () => reads };
  }
  const keysOf = ({ requests }: { requests: { headers: { authorization?: string } }[] }) =>
    requests.map(({ headers }) => headers.authorization);

  it('sends the request again with a renewed credential, which does not count as a retry', async () => {
    for (const body of [request, streamed]) {
      const { upstream, gateway, reads } = await setUp('sk-old', 'sk-upstream');

      expect((await gateway.post(body)).status).toBe(200);
      expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-upstream']);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({ status: 200, outcome: 'completed', retries: null, total_tokens: 24 }),
      ]);
      expect(gateway.lines.map((line) => line.event)).toEqual(['request_forwarded', 'request_completed']);

      await gateway.post(body);
      expect(keysOf(upstream)).toHaveLength(3);
      expect(reads()).toBe(2);
    }
  });

  it('reads the secret once for concurrent requests with a rejected credential', async () => {
    const { upstream, gateway, reads } = await setUp('sk-old', 'sk-upstream');

    const responses = await Promise.all(Array.from({ length: 10 }, () => gateway.post(request)));

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(upstream.requests).toHaveLength(20);
    expect(reads()).toBe(2);
  });

  it('returns 502 when the rejected credential has not changed', async () => {
    const { upstream, gateway, reads } = await setUp('sk-old');

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads()).toBe(2);
  });

  it('replaces a rejected credential only once', async () => {
    const { upstream, gateway } = await setUp('sk-old', 'sk-older');

    expect((await gateway.post(request)).status).toBe(502);
    expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-older']);
  });

  it('still retries after replacing a rejected credential', async () => {
    const { upstream, gateway } = await setUp('sk-old', 'sk-upstream');
    upstream.script(errorResponse(401), rateLimited);

    expect((await gateway.post(request)).status).toBe(200);
    expect(keysOf(upstream)).toEqual(['Bearer sk-old', 'Bearer sk-upstream', 'Bearer sk-upstream']);
    expect((await gateway.entries())[0]).toMatchObject({ retries: 1 });
  });

  it('does not send the request again when the caller disconnects while the secret is read', async () => {
    const body = new PassThrough();
    let reads = 0;
    const { upstream, gateway } = await fixture.setUp({
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

  it('does not read the secret again when the request had no credential', async () => {
    let reads = 0;
    const { upstream } = await fixture.setUp();
    const { gateway } = await fixture.setUp({
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

describe('Refused stream_options', () => {
  /** The texts of Azure, Groq and Mistral: https://github.com/microsoft/semantic-kernel/issues/10510 */
  const refusals: [string, Respond][] = [
    ['400 of Azure', refuse(400, 'Validation error at #/stream_options: Extra inputs are not permitted')],
    ['400 of Groq', refuse(400, "property 'stream_options' is unsupported, did you mean 'stream'?")],
    [
      '422 of Mistral',
      jsonResponse(
        {
          detail: [
            { loc: ['body', 'stream_options', 'include_usage'], msg: 'Extra inputs are not permitted' },
          ],
        },
        { status: 422 },
      ),
    ],
  ];
  const withUsage = { ...streamed, stream_options: { include_usage: true } };
  const optionsOf = ({ requests }: { requests: { body: Buffer }[] }) =>
    requests.map(({ body }) => JSON.parse(body.toString()).stream_options ?? null);
  const ignored = (response: { headers: Record<string, string> }) =>
    response.headers['x-gateway-ignored-parameters'];

  it.each(refusals)(
    'sends the stream once more without them after a %s, and no later ones',
    async (_, refusal) => {
      const { upstream, gateway } = await fixture.setUp();
      upstream.script(refusal);

      const first = await gateway.post(streamed);
      const second = await gateway.post(streamed);
      const third = await gateway.post(withUsage);

      expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
      expect(first.text).toContain('[DONE]');
      expect(optionsOf(upstream)).toEqual([{ include_usage: true }, null, null, null]);
      expect([ignored(first), ignored(second), ignored(third)]).toEqual([
        undefined,
        undefined,
        'stream_options.include_usage',
      ]);
      expect((await gateway.entries())[0]).toMatchObject({ outcome: 'completed', retries: null });
    },
  );

  it('reports the usage that the caller requested as ignored', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(refuse(400, 'Unknown field: stream_options'));

    const response = await gateway.post(withUsage);

    expect([response.status, ignored(response)]).toEqual([200, 'stream_options.include_usage']);
    expect(optionsOf(upstream)).toEqual([{ include_usage: true }, null]);
  });

  it('keeps the renewed credential, and renews it only once', async () => {
    const { upstream, gateway } = await fixture.setUp({
      credentials: (() => {
        const keys = ['sk-old', 'sk-upstream'];
        return () => ({ openai: { api_key: keys.shift() ?? 'sk-upstream' } });
      })(),
    });
    upstream.script(errorResponse(401), refuse(400, 'Unknown field: stream_options'), errorResponse(401));

    expect((await gateway.post(streamed)).status).toBe(502);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-old',
      'Bearer sk-upstream',
      'Bearer sk-upstream',
    ]);
    expect(optionsOf(upstream)).toEqual([{ include_usage: true }, { include_usage: true }, null]);
  });

  it('forgets the refusal if the request is refused without them too', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const wrongRole = refuse(
      400,
      "Invalid value: 'stream_options'. Supported roles are 'user' and 'system'.",
    );
    upstream.script(wrongRole, wrongRole);

    expect((await gateway.post(streamed)).status).toBe(400);
    expect((await gateway.post(streamed)).status).toBe(200);
    expect(optionsOf(upstream)).toEqual([{ include_usage: true }, null, { include_usage: true }]);
    expect((await gateway.entries()).map((entry) => entry.total_tokens)).toEqual([null, 24]);
  });

  it.each<[string, object, Respond]>([
    ['a request that is not streamed', request, refuse(400, 'Unknown field: stream_options')],
    ['another refusal', streamed, refuse(400, 'Unknown field: stream_option')],
    ['another status', streamed, refuse(500, 'Unknown field: stream_options')],
    ['a provider to which none are sent', { ...streamed, model: 'mistral/m' }, refuse(400, 'stream_options')],
  ])('sends nothing again after %s', async (_, body, refusal) => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(refusal);

    expect((await gateway.post(body)).status).toBeGreaterThanOrEqual(400);
    expect(upstream.requests).toHaveLength(1);
  });
});

function refuse(status: number, message: string): Respond {
  return errorResponse(status, { error: { message, param: null } });
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** Other timers end within seconds; that of a delay would take 40. Waits without a timer of its own. */
async function expectTimersToEnd(maxTimers: number): Promise<void> {
  const untilMs = Date.now() + 20_000;
  while (countTimers() > maxTimers && Date.now() < untilMs) await nextTurn();
  expect(countTimers()).toBeLessThanOrEqual(maxTimers);
}

function truncatedCompletion(): Respond {
  return ({ response, disconnect }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"choices":', () => disconnect('close'));
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
