import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route, RouteTarget } from '#lambdas/routing/route.ts';
import { type RouteFixture, startRouteFixture } from '#test/support/chat/route-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'route/main', messages };

const openai: RouteTarget = { model: 'openai/gpt-4o' };
const mistral: RouteTarget = { model: 'mistral/mistral-large-latest' };
const groq: RouteTarget = { model: 'groq/openai/gpt-oss-120b' };

function inOrder(...targets: [RouteTarget, ...RouteTarget[]]): Route {
  return { strategy: 'order', targets };
}

let fixture: RouteFixture;
beforeAll(async () => {
  fixture = await startRouteFixture();
});
afterAll(() => fixture.stop());

describe('A route', () => {
  it('of one target is another name for a model', async () => {
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder(openai) });

    const response = await gateway.post({ ...request, temperature: 0.5 });

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, '1']);
    const [sent] = upstreams.openai.requests;
    expect(String(sent?.body)).toBe(JSON.stringify({ ...request, model: 'gpt-4o', temperature: 0.5 }));
    expect(await gateway.entries()).toMatchObject([
      { route: 'main', attempt: 1, provider: 'openai', model: 'gpt-4o', skipped_targets: null },
    ]);
  });

  it('replaces parameters of the request, and adds those that it does not have', async () => {
    const parameters = { temperature: 0, max_completion_tokens: 64 };
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder({ ...openai, parameters }) });

    await gateway.post(
      '{"temperature":1,"model":"route/main","messages":[{"role":"user","content":"Hi"}],"temperature":2}',
    );

    expect(String(upstreams.openai.requests[0]?.body)).toBe(
      '{"temperature":0,"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"temperature":0,"max_completion_tokens":64}',
    );
  });

  it('of the organization replaces the one of the operator, which others have', async () => {
    const { gateway } = await fixture.setUp({
      route: inOrder(openai),
      operatorRoutes: { main: inOrder(mistral), shared: inOrder(groq) },
    });

    await gateway.post(request);
    await gateway.post({ ...request, model: 'route/shared' });

    const entries = await gateway.entries();
    expect(entries.map(({ route, provider }) => [route, provider])).toEqual([
      ['main', 'openai'],
      ['shared', 'groq'],
    ]);
  });

  it.each(['missing', '__proto__', 'toString', ''])('must exist: route/%s', async (name) => {
    const { gateway } = await fixture.setUp({ route: inOrder(openai) });
    const { status, text } = await gateway.post({ ...request, model: `route/${name}` });
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        message: `There is no route ${name}; GET /ai/models lists the routes and models`,
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    ]);
  });

  it('prefers the target at which the request costs least', async () => {
    const { gateway } = await fixture.setUp({
      route: {
        strategy: 'price',
        targets: [{ model: 'openai/no-such-model' }, openai, { model: 'openai/gpt-4o-mini' }],
      },
    });

    await gateway.post(request);

    expect(await gateway.entries()).toMatchObject([{ model: 'gpt-4o-mini', attempt: 1 }]);
  });

  it('sends the requests of a session to one target by weight', async () => {
    const route: Route = {
      strategy: 'weight',
      targets: [
        { ...openai, weight: 1 },
        { ...mistral, weight: 1 },
        { ...groq, weight: 0 },
      ],
    };
    const { upstreams, gateway } = await fixture.setUp({ route });
    const sessions = Array.from({ length: 12 }, (_, index) => `session-${index}`);
    const seen = new Map<string, Set<unknown>>();
    for (const session of [...sessions, ...sessions]) {
      const { headers } = await gateway.post(request, { 'gateway-session-id': session });
      seen.set(session, (seen.get(session) ?? new Set()).add(headers['x-gateway-provider']));
    }
    expect([...seen.values()].map((providers) => providers.size)).toEqual(sessions.map(() => 1));
    expect(upstreams.openai.requests.length).toBeGreaterThan(0);
    expect(upstreams.mistral.requests.length).toBeGreaterThan(0);
    expect(upstreams.groq.requests).toEqual([]);
  });
});

describe('A target that cannot serve a request', () => {
  it('is skipped with the reason', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route: inOrder(
        { model: 'anthropic/claude-sonnet-5' },
        { model: 'cohere/command-a-03-2025' },
        { model: 'nobody/model' },
        openai,
      ),
      credentials: { openai: { api_key: 'sk-upstream' }, anthropic: { api_key: 'sk-upstream' } },
    });

    const response = await gateway.post({ ...request, n: 2 });

    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({ 'x-gateway-attempts': '1', 'x-gateway-provider': 'openai' });
    expect(upstreams.openai.requests).toHaveLength(1);
    expect(await gateway.entries()).toMatchObject([
      {
        attempt: 1,
        skipped_targets: [
          { target: 'anthropic/claude-sonnet-5', reason: 'unsupported', param: 'n' },
          { target: 'cohere/command-a-03-2025', reason: 'not_configured', param: null },
          { target: 'nobody/model', reason: 'unknown_model', param: null },
        ],
      },
    ]);
  });

  it('is named in the error if there is no other', async () => {
    const { gateway } = await fixture.setUp({
      route: inOrder({ model: 'nobody/one' }, groq),
      credentials: {},
    });

    const { status, text, headers } = await gateway.post(request);

    expect(headers['x-gateway-attempts']).toBeUndefined();
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        message: expect.stringMatching(
          /^No target of route\/main can serve this request\. nobody\/one: The model nobody\/one is not supported: .*\. groq\/openai\/gpt-oss-120b: /,
        ),
        type: 'invalid_request_error',
        param: 'model',
        code: 'no_suitable_target',
      },
    ]);
    expect(await gateway.entries()).toMatchObject([
      {
        id: headers['x-gateway-request-id'],
        outcome: 'rejected',
        error_code: 'no_suitable_target',
        route: 'main',
        attempt: null,
        cost_usd: '0',
        skipped_targets: [{ reason: 'unknown_model' }, { reason: 'not_configured' }],
      },
    ]);
  });
});

describe('A request that is too long for a target', () => {
  const tooLong = errorResponse(400, { error: { code: 'context_length_exceeded', param: 'messages' } });
  const small = { model: 'openai/gpt-3.5-turbo' };

  it('goes to a target that takes longer ones', async () => {
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder(small, openai) });
    upstreams.openai.script(tooLong);

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, '2']);
    expect((await gateway.entries()).map(({ model }) => model).sort()).toEqual(['gpt-3.5-turbo', 'gpt-4o']);
  });

  it.each([
    ['takes no longer ones', small],
    ['has an unknown context', { model: 'mistral/made-up' }],
  ])('does not go to one that %s', async (_, target) => {
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder(openai, target) });
    upstreams.openai.script(tooLong);

    const response = await gateway.post(request);

    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([400, '1']);
    expect(JSON.parse(response.text).error.code).toBe('context_length_exceeded');
  });
});

describe('A target that has failed', () => {
  it('is tried last for a while', async () => {
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder(openai, mistral) });
    upstreams.openai.script(errorResponse(500));

    for (let count = 0; count < 3; count++) await gateway.post(request);

    expect([upstreams.openai.requests.length, upstreams.mistral.requests.length]).toEqual([1, 3]);
    const entries = await gateway.entries();
    expect(entries.slice(2).map(({ attempt, skipped_targets }) => [attempt, skipped_targets])).toEqual([
      [1, [{ target: 'openai/gpt-4o', reason: 'failing', param: null }]],
      [1, [{ target: 'openai/gpt-4o', reason: 'failing', param: null }]],
    ]);
  });

  it('serves the request nevertheless if no other can', async () => {
    const { upstreams, gateway } = await fixture.setUp({ route: inOrder(openai), limits: { retries: 0 } });
    upstreams.openai.script(errorResponse(500));

    const statuses = [(await gateway.post(request)).status, (await gateway.post(request)).status];

    expect(statuses).toEqual([502, 200]);
  });
});

describe('The headers of a stream', () => {
  it('do not name a target while another one may respond', async () => {
    const { upstreams, gateway } = await fixture.setUp({
      route: inOrder(openai, mistral),
      limits: { heartbeatMs: 20, commentDelayMs: 20 },
    });
    const failed = Promise.withResolvers<void>();
    const comments = async function* () {
      yield ': waiting\n\n';
      await failed.promise;
      yield 'data: {"error":{"message":"Busy"}}\n\n';
    };
    upstreams.openai.script(streamResponse(comments()));

    const call = await gateway.call(gateway.event({ ...request, stream: true }));

    expect(call.status).toBe(200);
    expect(Object.keys(call.headers).filter((name) => name.startsWith('x-gateway'))).toEqual([
      'x-gateway-request-id',
    ]);
    failed.resolve();
    call.body.resume();
    await call.invocation;
    expect((await gateway.entries()).map(({ attempt, outcome }) => [attempt, outcome]).sort()).toEqual([
      [1, 'provider_error'],
      [2, 'completed'],
    ]);
  });
});
