/** Routes of the operations other than chat completions, and targets with another API than the caller's. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#lambdas/routing/route.ts';
import { type RouteFixture, routedProviders, startRouteFixture } from '#test/support/chat/route-fixture.ts';
import { startAnthropicUpstream } from '#test/support/providers/anthropic/upstream.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';

const credentials = Object.fromEntries(
  [...routedProviders, 'anthropic'].map((name) => [name, { api_key: 'sk-upstream' }]),
);

let fixture: RouteFixture;
beforeAll(async () => {
  fixture = await startRouteFixture();
});
afterAll(() => fixture.stop());

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function setUp(path: string, targets: Route['targets']) {
  const anthropic = await startAnthropicUpstream({ expectedApiKey: 'sk-upstream' });
  stops.push(anthropic.stop);
  const { upstreams, gateway } = await fixture.setUp({
    path,
    route: { strategy: 'order', targets },
    credentials,
    extraSettings: { anthropic: { baseUrl: anthropic.baseUrl } },
  });
  return { upstreams: { ...upstreams, anthropic }, gateway };
}

const openaiFirst: Route['targets'] = [{ model: 'openai/gpt-4o' }, { model: 'anthropic/claude-sonnet-5' }];
const anthropicFirst: Route['targets'] = [openaiFirst[1] ?? expect.fail(), openaiFirst[0]];

const bodies = {
  '/ai/chat/completions': { messages: [{ role: 'user', content: 'Say hello' }] },
  '/ai/messages': { messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 100 },
  '/ai/responses': { input: 'Say hello', store: false },
};

const ends = {
  '/ai/chat/completions': 'data: [DONE]',
  '/ai/messages': 'event: message_stop',
  '/ai/responses': 'event: response.completed',
};

const paths = Object.keys(bodies) as (keyof typeof bodies)[];

describe.each(paths)('%s', (path) => {
  it.each([
    ['openai', openaiFirst, 'anthropic'],
    ['anthropic', anthropicFirst, 'openai'],
  ] as const)('falls back from %s to a provider with another API', async (first, targets, second) => {
    for (const stream of [false, true]) {
      const { upstreams, gateway } = await setUp(path, targets);
      upstreams[first].script(errorResponse(529));

      const response = await gateway.post({ model: 'route/main', stream, ...bodies[path] });

      expect(response.status).toBe(200);
      expect(response.headers).toMatchObject({ 'x-gateway-attempts': '2', 'x-gateway-provider': second });
      expect(upstreams[second].requests).toHaveLength(1);
      if (stream) expect(response.text.split(ends[path])).toHaveLength(2);
      else expect(JSON.parse(response.text).error ?? null).toBe(null);
      const entries = await gateway.entries();
      const outcomes = entries.map(({ attempt, provider, outcome }) => [attempt, provider, outcome]);
      expect(outcomes.sort()).toEqual([
        [1, first, 'provider_error'],
        [2, second, 'completed'],
      ]);
    }
  });
});

describe('Embeddings', () => {
  const small = { model: 'openai/text-embedding-3-small' };
  const request = { model: 'route/main', input: 'Hello' };

  it('fall back to the same model at another provider', async () => {
    const { upstreams, gateway } = await setUp('/ai/embeddings', [
      small,
      { model: 'mistral/text-embedding-3-small' },
    ]);
    upstreams.openai.script(errorResponse(500));

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, '2']);
    expect(upstreams.mistral.requests).toHaveLength(1);
  });

  it.each([
    ['another model', { model: 'mistral/mistral-embed' }],
    ['other dimensions', { model: 'mistral/text-embedding-3-small', parameters: { dimensions: 256 } }],
  ])('do not fall back to %s', async (_, other) => {
    const { upstreams, gateway } = await setUp('/ai/embeddings', [small, other]);
    upstreams.openai.script(errorResponse(500));

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([502, '1']);
    expect(upstreams.mistral.requests).toEqual([]);
  });
});
