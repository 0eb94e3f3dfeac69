/** Budgets, rate limits and lists of models for requests to routes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf, reservedUsd as reservedIn } from '#lambdas/limits/counters/counter.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Route } from '#lambdas/routing/route.ts';
import type { ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type RouteFixture, startRouteFixture } from '#test/support/chat/route-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const dependencies = { now: () => new Date(receivedAtMs) };
const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'route/main', messages, max_completion_tokens: 100 };
const route: Route = {
  strategy: 'order',
  targets: [{ model: 'openai/gpt-4o' }, { model: 'groq/openai/gpt-oss-120b' }],
};

/** The provider charges for it, and says so: its usage is that of the example. */
const chargedEmpty = jsonResponse({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 },
});

let fixture: RouteFixture;
beforeAll(async () => {
  fixture = await startRouteFixture();
});
afterAll(() => fixture.stop());

async function monthOf({ hardBudgets }: ChatHandlerFixture) {
  const counter = (await hardBudgets.findCounterItem('key')) ?? expect.fail();
  return {
    remaining: remainingOf(counter, '2026-11'),
    pending: reservedIn(counter, receivedAtMs),
  };
}

function attemptsOf(entries: readonly LogEntry[]): LogEntry[] {
  return entries.toSorted((left, right) => (left.attempt ?? 0) - (right.attempt ?? 0));
}

describe('A hard budget', () => {
  it('pays for each attempt, and reserves again before the next one', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route,
      dependencies,
      hardLimits: { key: { month: '1' } },
    });
    upstreams.openai.script(chargedEmpty);

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, '2']);
    const [first, last] = attemptsOf(await gateway.entries());
    expect([first?.cost_usd, last?.cost_usd]).toEqual(['0.0025', '0.00000585']);
    expect([first?.reserved_usd, last?.reserved_usd].map((usd) => Number(usd) > 0)).toEqual([true, true]);
    expect([first?.budget_counters, last?.budget_counters]).toEqual([['key/key-1/0'], ['key/key-1/0']]);
    expect(await monthOf(gateway)).toEqual({ remaining: '0.99749415', pending: '0.00250585' });
  });

  it('has no fallback if it does not allow the next reservation', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route: { ...route, targets: [route.targets[0], { model: 'mistral/mistral-large-latest' }] },
      dependencies,
      // Enough for the reservation of the first attempt, and not for its cost and another reservation.
      hardLimits: { key: { month: '0.0022' } },
    });
    upstreams.openai.script(chargedEmpty);

    const response = await gateway.post(request);

    expect([response.headers['x-gateway-attempts'], upstreams.mistral.requests.length]).toEqual(['1', 0]);
    expect(response.status).toBe(200);
    expect(await gateway.entries()).toMatchObject([{ outcome: 'completed', cost_usd: '0.0025' }]);
  });

  it('skips targets without a price', async () => {
    const { gateway } = await fixture.setUp({
      route: { ...route, targets: [{ model: 'mistral/made-up' }, ...route.targets] },
      hardLimits: { key: { month: '1' } },
    });

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-provider']]).toEqual([200, 'openai']);
    expect(await gateway.entries()).toMatchObject([
      { skipped_targets: [{ target: 'mistral/made-up', reason: 'not_priced', param: null }] },
    ]);
  });

  it('refuses the request itself when nothing is left', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route,
      dependencies,
      hardLimits: { key: { month: '0.0001' } },
    });

    const { status, text } = await gateway.post(request);

    expect([status, JSON.parse(text).error.code]).toEqual([429, 'insufficient_quota']);
    expect([upstreams.openai.requests.length, upstreams.groq.requests.length]).toEqual([0, 0]);
    expect(await gateway.entries()).toMatchObject([{ outcome: 'rejected', route: 'main', cost_usd: '0' }]);
  });
});

describe('Rate limits', () => {
  it('count a request once, whatever the number of its attempts', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route,
      dependencies,
      hardLimits: { key: { month: '1' } },
      rateLimits: { key: { requests_per_minute: 2, concurrent: 1, tokens_per_minute: 10_000 } },
    });
    upstreams.openai.script(errorResponse(500));

    const first = await gateway.post(request);
    const second = await gateway.post(request);
    const third = await gateway.post(request);

    expect([first.status, first.headers['x-gateway-attempts']]).toEqual([200, '2']);
    expect(first.headers['x-ratelimit-remaining-requests']).toBe('1');
    expect([second.status, third.status]).toEqual([200, 429]);
  });
});

describe('A list of models', () => {
  it.each([
    ['route/main', { key_models: ['openai/*'] }, 'this API key'],
    ['route/main', { organization_models: ['openai/*'] }, 'the organization'],
    ['openai/gpt-4o', { key_models: ['route/*', 'anthropic/*'] }, 'this API key'],
  ])('refuses %s', async (model, lists, owner) => {
    const { upstreams, gateway } = await fixture.setUp({ route, modelLists: lists });

    const { status, text } = await gateway.post({ ...request, model });

    expect([status, JSON.parse(text).error]).toEqual([
      403,
      {
        message: `The model ${model} is not in the list of allowed models of ${owner}: GET /ai/models lists those that this API key may use`,
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_allowed',
      },
    ]);
    expect(upstreams.openai.requests).toEqual([]);
    expect(await gateway.entries()).toMatchObject([{ outcome: 'rejected', error_code: 'model_not_allowed' }]);
  });

  it('allows a route without its targets, and a model by a pattern', async () => {
    const lists = { key_models: ['route/*', 'groq/*oss*'], organization_models: ['*'] };
    const { gateway } = await fixture.setUp({ route, modelLists: lists });
    const models = ['route/main', 'groq/openai/gpt-oss-120b', 'groq/llama-3'];
    const statuses = await Promise.all(
      models.map(async (model) => (await gateway.post({ ...request, model })).status),
    );
    expect(statuses).toEqual([200, 200, 403]);
  });
});
