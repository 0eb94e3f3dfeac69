import { describe, expect, it } from 'vitest';
import { type TestedRequest, testRoute } from '#lambdas/inference/routing/route-test.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

function test(route: Route, fields: Partial<TestedRequest> = {}) {
  const sources = {
    settings: {},
    credentials: { find: async ({ name }: { name: string }) => (name === 'xai' ? null : 'sk-1') },
    region: 'us-east-1',
    customPrices: emptyPriceTable,
    now: () => new Date('2026-11-20T12:00:00Z'),
  };
  return testRoute(sources, {
    name: 'main',
    route,
    operation: 'chat.completions',
    body: { messages, max_tokens: 1000 },
    organization: { id: 'org_1' },
    sessionId: null,
    ...fields,
  });
}

const openai = { model: 'openai/gpt-4o' };
const mini = { model: 'openai/gpt-4o-mini' };
const unpriced = { model: 'mistral/made-up' };
const anthropic = { model: 'anthropic/claude-sonnet-5' };

describe('The test of a route', () => {
  it('names the targets in the order in which they are tried, with reasons', async () => {
    const route: Route = {
      strategy: 'order',
      targets: [{ model: 'xai/grok-4' }, anthropic, openai, unpriced, mini, { model: 'nobody/x' }],
      attempts: 2,
    };
    const { targets: results } = await test(route, { body: { messages, n: 2, max_tokens: 1000 } });

    expect(results.map(({ model, decision, reason, param }) => [model, decision, reason, param])).toEqual([
      ['xai/grok-4', 'skipped', 'not_configured', null],
      ['anthropic/claude-sonnet-5', 'skipped', 'unsupported', 'n'],
      ['openai/gpt-4o', 'first', null, null],
      ['mistral/made-up', 'next', null, null],
      ['openai/gpt-4o-mini', 'spare', null, null],
      ['nobody/x', 'skipped', 'unknown_model', null],
    ]);
  });

  it('estimates the cost at each target, and skips those without a price under a hard budget', async () => {
    const route: Route = { strategy: 'price', targets: [unpriced, openai, mini] };

    const { targets: results } = await test(route, {
      organization: { id: 'org_1', budget: { id: 'b', shards: 1, allows_unpriced: false } },
    });

    expect(results.map(({ model, decision, cost_usd }) => [model, decision, cost_usd])).toEqual([
      ['openai/gpt-4o-mini', 'first', 0.00060045],
      ['openai/gpt-4o', 'next', 0.0100075],
      ['mistral/made-up', 'skipped', null],
    ]);
  });

  it('states the share of the requests that each target serves first', async () => {
    const route: Route = {
      strategy: 'weight',
      targets: [
        { ...unpriced, weight: 0 },
        { ...openai, weight: 1 },
        { ...mini, weight: 3 },
        { model: 'nobody/x', weight: 1 },
      ],
    };

    const { targets: results } = await test(route);

    expect(results.map(({ model, decision, share }) => [model, decision, share])).toEqual([
      ['openai/gpt-4o-mini', 'first', 0.6],
      ['mistral/made-up', 'next', 0.2],
      ['openai/gpt-4o', 'next', 0.2],
      ['nobody/x', 'skipped', 0],
    ]);
  });

  it.each([[{ body: {} }, 'messages']])('refuses an invalid request', async (fields, param) => {
    await expect(test({ strategy: 'order', targets: [openai] }, fields)).rejects.toMatchObject({
      code: 'invalid_request_error',
      param,
    });
  });
});
