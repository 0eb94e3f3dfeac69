/** Requests with rate limits: what the caller receives, what is logged, and what is corrected at the end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import { type ChatFixture, type ChatFixtureOptions, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages, max_completion_tokens: 100 };

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

async function setUp(options: ChatFixtureOptions) {
  const clock = { nowMs: receivedAtMs };
  const now = () => new Date(clock.nowMs);
  return { clock, ...(await fixture.setUp({ dependencies: { now }, ...options })) };
}

/** The tokens that are missing in the bucket of the key, which refills in a minute. */
async function missingTokens({ organizationId, apiKeyId, tables }: ChatHandlerFixture, limit: number) {
  const key = counterItemKey(counterKey({ organizationId, keyId: apiKeyId }));
  const item = await tableCallsAt(fixture.endpoint).get(tables.budgetCounters, key);
  return ((Number(item?.tokens_full_us) - receivedAtMs * 1000) * limit) / 60_000_000;
}

function rateHeaders(headers: Record<string, string>) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes('ratelimit')));
}

describe('A request within its rate limits', () => {
  it('has the state of the limits in the headers of its response', async () => {
    const { gateway, upstream } = await setUp({
      rateLimits: { key: { requests_per_minute: 60 }, organization: { tokens_per_minute: 10_000 } },
    });

    const { status, headers } = await gateway.post(request);

    expect([status, upstream.requests.length]).toEqual([200, 1]);
    expect(rateHeaders(headers)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '10000',
      'x-ratelimit-remaining-tokens': '9897',
      'x-ratelimit-reset-tokens': '618ms',
    });
    expect(await gateway.entries()).toMatchObject([
      {
        outcome: 'completed',
        reserved_usd: null,
        budget_counters: null,
        refusal: null,
        refused_requests: null,
      },
    ]);
  });

  it('has them in a stream too, with those of concurrent requests nowhere', async () => {
    const { gateway } = await setUp({ rateLimits: { key: { tokens_per_minute: 1000, concurrent: 3 } } });

    const { headers, text } = await gateway.post({ ...request, stream: true });

    expect(rateHeaders(headers)).toEqual({
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '897',
      'x-ratelimit-reset-tokens': '6.18s',
    });
    expect(text).toContain('data: [DONE]');
  });

  it('has its own limits where its provider states those of the account', async () => {
    const { gateway, upstream } = await setUp({
      path: '/ai/responses',
      rateLimits: { key: { requests_per_minute: 2 } },
    });
    const ofProvider = {
      'x-ratelimit-limit-requests': '5000',
      'x-ratelimit-remaining-requests': '4999',
      'x-ratelimit-reset-requests': '12ms',
      'x-ratelimit-limit-tokens': '800000',
    };
    upstream.script(jsonResponse({ error: { message: 'Slow down' } }, { status: 400, headers: ofProvider }));

    const { headers } = await gateway.post({ model: 'openai/gpt-4o', input: 'Say hello' });

    expect(rateHeaders(headers)).toEqual({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': '30s',
      'x-ratelimit-limit-tokens': '800000',
    });
  });

  it.each([
    { what: 'its limit of output', body: request, tokens: 103 },
    { what: 'a typical output', body: { ...request, max_completion_tokens: undefined }, tokens: 1003 },
    { what: 'the output of each completion', body: { ...request, n: 3 }, tokens: 303 },
    { what: 'the largest limit', body: { ...request, max_tokens: 200 }, tokens: 203 },
  ])('is assumed to take its input and $what, until it has ended', async ({ body, tokens }) => {
    const { gateway } = await setUp({ rateLimits: { key: { tokens_per_minute: 10_000 } } });

    const { headers } = await gateway.post(body);

    expect(headers['x-ratelimit-remaining-tokens']).toBe(String(10_000 - tokens));
    const [entry] = await gateway.entries();
    expect(await missingTokens(gateway, 10_000)).toBe(entry?.total_tokens);
  });

  it('returns its tokens if its provider has refused it', async () => {
    const { gateway, upstream } = await setUp({ rateLimits: { key: { tokens_per_minute: 10_000 } } });
    upstream.script(jsonResponse({ error: { message: 'No' } }, { status: 400 }));

    expect((await gateway.post(request)).status).toBe(400);

    expect(await missingTokens(gateway, 10_000)).toBe(0);
  });

  it('has no output if it asks for embeddings', async () => {
    const { gateway } = await setUp({
      path: '/ai/embeddings',
      rateLimits: { key: { tokens_per_minute: 10_000 } },
    });

    const { headers } = await gateway.post({
      model: 'openai/text-embedding-3-small',
      input: 'a'.repeat(400),
    });

    expect(headers['x-ratelimit-remaining-tokens']).toBe('9900');
  });
});

describe('A request that exceeds a rate limit', () => {
  it('is refused with the limit and when to retry, without a call of its provider', async () => {
    const { gateway, upstream, clock } = await setUp({ rateLimits: { key: { requests_per_minute: 2 } } });
    await gateway.post(request);
    await gateway.post(request);

    const { status, headers, text } = await gateway.post(request);

    expect([status, upstream.requests.length]).toEqual([429, 2]);
    expect(JSON.parse(text)).toEqual({
      error: {
        message: 'The API key has reached its limit of 2 requests per minute: retry in 30 s',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
    const entry = (await gateway.entries()).find(({ id }) => id === headers['x-gateway-request-id']);
    expect(headers).toEqual({
      'x-gateway-request-id': entry?.id,
      'x-request-id': entry?.id,
      'x-gateway-provider': 'openai',
      'content-type': 'application/json',
      'retry-after': '30',
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0s',
    });
    expect(entry).toMatchObject({
      outcome: 'rejected',
      status: 429,
      error_code: 'rate_limit_exceeded',
      cost_usd: '0',
      reserved_usd: null,
      refused_requests: null,
      refusal: {
        by: 'rate_limit',
        owner: 'api_key',
        api_key_id: gateway.apiKeyId,
        limit: 'requests_per_minute',
        limit_value: 2,
        retry_after_ms: 30_000,
      },
    });
    clock.nowMs += 30_000;
    expect((await gateway.post(request)).status).toBe(200);
  });

  it("has an error and headers in Anthropic's format in the Messages API", async () => {
    const { gateway } = await setUp({
      path: '/ai/messages',
      rateLimits: { organization: { requests_per_minute: 60, tokens_per_minute: 120 } },
    });
    const body = { model: 'openai/gpt-4o', messages, max_tokens: 110 };
    expect((await gateway.post(body)).status).toBe(200);

    const { status, headers, text } = await gateway.post(body);

    expect(status).toBe(429);
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message:
          'The organization has too little left of its limit of 120 tokens per minute for this request, which may take about 113: retry in 9 s',
      },
      request_id: headers['request-id'],
    });
    expect(headers['retry-after']).toBe('9');
    expect(rateHeaders(headers)).toEqual({
      'anthropic-ratelimit-requests-limit': '60',
      'anthropic-ratelimit-requests-remaining': '59',
      'anthropic-ratelimit-requests-reset': '2026-11-23T12:04:01Z',
      'anthropic-ratelimit-tokens-limit': '120',
      'anthropic-ratelimit-tokens-remaining': '96',
      'anthropic-ratelimit-tokens-reset': '2026-11-23T12:04:12Z',
    });
  });

  it('has an entry and a line as long as they are few, and from then on one for every 50', async () => {
    const { gateway } = await setUp({ rateLimits: { key: { requests_per_minute: 1 } } });
    await gateway.post(request);

    for (let count = 0; count < 61; count += 1) expect((await gateway.post(request)).status).toBe(429);

    const entries = (await gateway.entries()).filter(({ outcome }) => outcome === 'rejected');
    const numbers = entries.map(({ refused_requests }) => refused_requests);
    expect(numbers.toSorted()).toEqual([50, ...Array(10).fill(null)]);
    const lines = gateway.lines.filter(
      ({ event, entry }) => event === 'request_completed' && parseLogEntry(entry).status === 429,
    );
    expect(lines).toHaveLength(11);
  });
});

describe('Rate limits that cannot be checked', () => {
  it('let the request through, with a line for the alarm', async () => {
    const printed = recordLogLines();
    const { gateway } = await setUp({
      rateLimits: { key: { requests_per_minute: 1 } },
      budgetsEndpoint: await unreachableEndpoint(),
    });

    const responses = [await gateway.post(request), await gateway.post(request)];

    expect(responses.map(({ status, headers }) => ({ status, ...rateHeaders(headers) }))).toEqual([
      { status: 200 },
      { status: 200 },
    ]);
    const owner = { organization_id: gateway.organizationId, api_key_id: gateway.apiKeyId };
    const line = { level: 'ERROR', event: 'rate_limits_not_checked', ...owner };
    expect(printed).toMatchObject([line, line]);
  });
});
