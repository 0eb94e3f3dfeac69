import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#lambdas/routing/route.ts';
import {
  type RouteFixture,
  type RouteFixtureOptions,
  startRouteFixture,
} from '#test/support/chat/route-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { deltaChunk, doneEvent, errorEvent, event } from '#test/support/providers/openai/events.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'route/main', messages };
const streamed = { ...request, stream: true };

const route: Route = {
  strategy: 'order',
  targets: [{ model: 'openai/gpt-4o' }, { model: 'mistral/mistral-large-latest' }],
};

const empty = { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o' };
const emptyMessage = { role: 'assistant', content: '' };

let fixture: RouteFixture;
beforeAll(async () => {
  fixture = await startRouteFixture();
});
afterAll(() => fixture.stop());

async function send(body: object, first: Respond, options: Partial<RouteFixtureOptions> = {}) {
  const { upstreams, gateway } = await fixture.setUp({ route, ...options });
  upstreams.openai.script(first);
  const response = await gateway.post(body);
  const entries = await gateway.entries();
  return { upstreams, gateway, response, entries };
}

type Failure = [name: string, code: string, respond: Respond];

const failures: Failure[] = [
  ['a connection reset', 'provider_unavailable', resetBeforeHeaders],
  ['401', 'provider_authentication_failed', errorResponse(401)],
  ['403', 'provider_authentication_failed', errorResponse(403)],
  ['404 for the model', 'model_not_found', errorResponse(404)],
  ['404 for the address', 'provider_error', jsonResponse('no page', { status: 404 })],
  ['408', 'invalid_request_error', errorResponse(408)],
  ['409', 'invalid_request_error', errorResponse(409)],
  ['425', 'invalid_request_error', errorResponse(425)],
  ['429', 'rate_limit_exceeded', errorResponse(429)],
  ['500', 'server_error', errorResponse(500)],
  ['503', 'server_error', errorResponse(503)],
  ['529', 'server_error', errorResponse(529)],
];

const failedCompletions: Failure[] = [
  ['an error in a response', 'provider_error', jsonResponse({ error: { message: 'Busy', code: 500 } })],
  ['a truncated response', 'provider_error', jsonResponse('{"id":')],
  [
    'an empty completion',
    'provider_error',
    jsonResponse({ ...empty, choices: [{ index: 0, message: emptyMessage, finish_reason: 'stop' }] }),
  ],
];

const failedStreams: Failure[] = [
  ['an error event', 'provider_error', streamResponse([errorEvent({ message: 'Busy' })])],
  ['a stream that ends at once', 'provider_error', streamResponse([])],
  [
    'an error event after the first one without content',
    'provider_error',
    streamResponse([event(deltaChunk({ role: 'assistant', content: '' })), errorEvent({ message: 'Busy' })]),
  ],
  [
    'a disconnect after an event without content',
    'provider_error',
    streamResponse([event(deltaChunk({ role: 'assistant' }))], { ending: 'close' }),
  ],
  [
    'an empty completion',
    'provider_error',
    streamResponse([
      event(deltaChunk({ role: 'assistant', content: '' })),
      event(deltaChunk({}, 'stop')),
      doneEvent,
    ]),
  ],
];

describe('Fallback', () => {
  it.each([
    ...failures.map((failure) => [...failure, request] as const),
    ...failures.map(([name, ...others]) => [`${name} for a stream`, ...others, streamed] as const),
    ...failedCompletions.map((failure) => [...failure, request] as const),
    ...failedStreams.map((failure) => [...failure, streamed] as const),
  ])('sends the request to the next target after %s', async (name, code, respond, body) => {
    const { upstreams, gateway, response, entries } = await send(body, respond);

    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({ 'x-gateway-attempts': '2', 'x-gateway-provider': 'mistral' });
    const [sent] = upstreams.mistral.requests;
    expect(JSON.parse(String(sent?.body))).toMatchObject({ model: 'mistral-large-latest', messages });
    expect([upstreams.openai.requests.length, upstreams.mistral.requests.length]).toEqual([1, 1]);
    const last = entries.find(({ superseded_by }) => superseded_by === null);
    const first = entries.find(({ superseded_by }) => superseded_by !== null);
    expect(entries).toHaveLength(2);
    expect(last).toMatchObject({
      id: response.headers['x-gateway-request-id'],
      route: 'main',
      attempt: 2,
      provider: 'mistral',
      model: 'mistral-large-latest',
      outcome: 'completed',
      error_code: null,
      status: 200,
    });
    expect(first).toMatchObject({
      superseded_by: last?.id,
      route: 'main',
      attempt: 1,
      provider: 'openai',
      model: 'gpt-4o',
      outcome: name.startsWith('408') ? 'timeout' : 'provider_error',
      error_code: code,
      created_at: last?.created_at,
    });
    expect(gateway.lines.filter((line) => line.event === 'request_completed')).toHaveLength(1);
  });

  it.each<Failure>([
    ['400', 'invalid_value', errorResponse(400)],
    ['413', 'invalid_request_error', errorResponse(413)],
    ['422', 'invalid_request_error', errorResponse(422)],
  ])('does not repeat a request that the provider refuses with %s', async (_, code, respond) => {
    const { upstreams, response, entries } = await send(request, respond);

    expect(response.headers['x-gateway-attempts']).toBe('1');
    expect(upstreams.mistral.requests).toEqual([]);
    expect(entries).toMatchObject([{ error_code: code, attempt: 1, superseded_by: null }]);
  });

  it('reports a failure after the first content, and sends nothing of another target', async () => {
    const content = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
    const { upstreams, response, entries } = await send(
      streamed,
      streamResponse([content, errorEvent({ message: 'Busy' })]),
    );

    expect(response.status).toBe(200);
    expect(response.text).toContain('Hel');
    expect(response.text).toContain('"error"');
    expect(upstreams.mistral.requests).toEqual([]);
    expect(entries).toMatchObject([{ provider: 'openai', attempt: 1, outcome: 'provider_error' }]);
  });

  it.each([
    ['the last of several targets', route, errorResponse(500), ['no_target_left']],
    ['an alias', { ...route, targets: [route.targets[0]] } as const, errorResponse(500), []],
    [
      'a target after which none can serve the request',
      { ...route, targets: [route.targets[0], { model: 'nobody/x' }] } as const,
      errorResponse(401),
      ['target_misconfigured', 'no_target_left'],
    ],
    ['a request that all would refuse', route, errorResponse(400), []],
    [
      'a request that is too long for all',
      { ...route, targets: [route.targets[0], { model: 'mistral/made-up' }] } as const,
      errorResponse(400, { error: { code: 'context_length_exceeded' } }),
      [],
    ],
    [
      'a stream that had begun',
      route,
      streamResponse([event(deltaChunk({ content: 'Hel' })), errorEvent({ message: 'Busy' })]),
      [],
    ],
  ])('reports a failure of %s', async (name, failingRoute, respond, expected) => {
    const { upstreams, gateway } = await fixture.setUp({ route: failingRoute, limits: { retries: 0 } });
    upstreams.openai.script(respond);
    upstreams.mistral.script(errorResponse(500));

    await gateway.post(streamed);

    const reported = gateway.lines.map((line) => line.event).filter((line) => /target/.test(line));
    expect(reported).toEqual(expected);
    const entries = await gateway.entries();
    const skipped = entries.flatMap(({ skipped_targets }) => skipped_targets ?? []);
    expect(skipped.map(({ reason }) => reason)).toEqual(
      expected.length === 2 ? ['unknown_model'] : name.endsWith('long for all') ? ['context_too_small'] : [],
    );
  });

  it.each([request, streamed])('responds with the error of the last target', async (body) => {
    const { upstreams, gateway } = await fixture.setUp({ route });
    upstreams.openai.script(errorResponse(500));
    upstreams.mistral.script(errorResponse(429));

    const response = await gateway.post(body);

    expect(response.status).toBe(429);
    expect(response.headers).toMatchObject({ 'x-gateway-attempts': '2', 'retry-after': '7' });
    const last = (await gateway.entries()).find(({ superseded_by }) => superseded_by === null);
    expect(last).toMatchObject({ provider: 'mistral', status: 429, error_code: 'rate_limit_exceeded' });
    expect(gateway.lines.map((line) => line.event)).toContain('no_target_left');
  });

  it('sends a request to as many targets as the route allows', async () => {
    const targets = [...route.targets, { model: 'groq/openai/gpt-oss-120b' }] as const;
    for (const [attempts, expected] of [
      [1, [1, 0, 0]],
      [2, [1, 1, 0]],
      [3, [1, 1, 1]],
    ] as const) {
      const { upstreams, gateway } = await fixture.setUp({
        route: { ...route, targets, attempts },
        limits: { retries: 0 },
      });
      for (const upstream of Object.values(upstreams)) upstream.script(errorResponse(500));
      const response = await gateway.post(request);
      expect(response.headers['x-gateway-attempts']).toBe(String(attempts));
      expect(Object.values(upstreams).map(({ requests }) => requests.length)).toEqual(expected);
      expect(await gateway.entries()).toHaveLength(attempts);
    }
  });

  it('waits for a complete response longer than for the first event of a stream', async () => {
    const quick: Route = {
      ...route,
      targets: [{ model: 'openai/gpt-4o', first_event_seconds: 0.1 }, route.targets[0]],
    };
    const slow: Respond = async ({ response }) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      response.end(JSON.stringify({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] }));
    };
    const { response } = await send(request, slow, { route: quick });
    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, '1']);
  });

  it('waits for the first event of a stream as long as the target says, also while comments arrive', async () => {
    const quick = {
      ...route,
      targets: [{ model: 'openai/gpt-4o', first_event_seconds: 0.2 }, route.targets[1]],
    };
    const comments = async function* () {
      for (;;) {
        yield ': waiting\n\n';
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    for (const respond of [hangBeforeHeaders, streamResponse(comments())]) {
      const { response, entries } = await send(streamed, respond, {
        route: quick as unknown as Route,
        limits: { commentDelayMs: 10 },
      });
      expect(response.status).toBe(200);
      expect(response.text).toContain('[DONE]');
      expect(entries.find(({ attempt }) => attempt === 1)).toMatchObject({
        error_code: 'provider_timeout',
        provider: 'openai',
        usage_source: 'estimated',
      });
    }
  });

  it.each([
    [
      'no longer than the default if another target can serve the request',
      'mistral/mistral-large-latest',
      '2',
      ['provider_timeout', null],
    ],
    ['longer than the default if no other target can', 'groq/llama-3.1-8b-instant', '1', [null]],
  ])('waits for the first event %s', async (_, model, attempts, errors) => {
    const late: Respond = async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await streamResponse([
        event(deltaChunk({ content: 'Hello' })),
        event(deltaChunk({}, 'stop')),
        doneEvent,
      ])(call);
    };
    const { response, entries } = await send(streamed, late, {
      route: { ...route, targets: [route.targets[0], { model }] },
      credentials: { openai: { api_key: 'sk-upstream' }, mistral: { api_key: 'sk-upstream' } },
      limits: { firstEventMs: 50 },
    });
    expect([response.status, response.headers['x-gateway-attempts']]).toEqual([200, attempts]);
    expect(response.text).toContain('[DONE]');
    const inOrder = entries.toSorted((left, right) => Number(left.attempt) - Number(right.attempt));
    expect(inOrder.map(({ error_code }) => error_code)).toEqual(errors);
  });
});
