import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckRequest, runChecks } from '#lambdas/canary/checks/run-checks.ts';
import {
  countedCosts,
  errorBody,
  eventStream,
  type FakeGateway,
  type FakeRequest,
  type FakeResponse,
  fakeEmbeddingModel,
  fakeEntry,
  fakeLogId,
  fakeModel,
  startFakeGateway,
  streamTest,
} from '#test/support/fake-gateway.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';

const apiKey = 'pt_live_abcdefghijklmnopqrstuvwxyz012345';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway(apiKey);
});
afterEach(() => gateway.stop());

/** Returns the result of each check, as its error or `ok`. */
async function check(changes: Partial<CheckRequest> = {}): Promise<Record<string, string>> {
  const results = await runChecks({
    endpoint: { name: 'rest_api', baseUrl: gateway.baseUrl },
    reportsUrl: gateway.baseUrl,
    apiKey,
    deletedApiKey: null,
    model: fakeModel,
    embeddingModel: null,
    maxDurationMs: 30_000,
    clock: { now: Date.now, wait: async () => {} },
    ...changes,
  });
  return Object.fromEntries(results.map((result) => [result.check, result.error ?? 'ok']));
}

/** Only waiting takes time. */
function createClock() {
  const pausesMs: number[] = [];
  const now = () => pausesMs.reduce((sum, ms) => sum + ms, 0);
  return { pausesMs, now, wait: async (ms: number) => void pausesMs.push(ms) };
}

const allPassed = {
  unknown_key_refused: 'ok',
  unknown_model_refused: 'ok',
  events_on_time: 'ok',
  completion_streamed: 'ok',
  entry_found: 'ok',
  entry_listed: 'ok',
  cost_counted: 'ok',
};

const json = (body: object, status = 200): FakeResponse => ({ status, body: JSON.stringify(body) });
const providerError: FakeResponse = { status: 502, body: errorBody('provider_error', 'api_error') };
const chunk = { choices: [{ delta: { content: 'OK' } }] };
const usage = { choices: [], usage: { total_tokens: 16 } };

describe('The checks of an endpoint', () => {
  it('pass for a gateway that works, whose entry and costs appear later', async () => {
    expect(await check()).toEqual(allPassed);
    expect(gateway.requests).toEqual([
      ...['unknown key', 'unknown model', 'stream test', 'completion'],
      ...['entry', 'entry', 'list', 'costs', 'costs'],
    ]);
  });

  it('call no model without one', async () => {
    expect(await check({ model: null })).toEqual({
      unknown_key_refused: 'ok',
      unknown_model_refused: 'ok',
      events_on_time: 'ok',
    });
    expect(gateway.requests).toEqual(['unknown key', 'unknown model', 'stream test']);
  });

  it('request embeddings of a model for them, whatever becomes of the completion', async () => {
    const models = { model: null, embeddingModel: fakeEmbeddingModel };
    expect(await check(models)).toMatchObject({ embeddings_created: 'ok' });

    gateway.replace('embeddings', providerError);
    expect(await check({ ...models, model: fakeModel })).toEqual({
      ...allPassed,
      embeddings_created: 'Expected 200, got 502 provider_error',
    });
  });

  it.each([
    [[[0.5]], 'Expected 2 vectors, got 1'],
    [[[0.5], [0.5, 1]], 'Expected vectors of one size, got sizes of 1 and 2'],
    [['AAAA', [null]], 'Expected vectors of one size, got sizes of 0 and 0'],
  ])('fail for the embeddings %j', async (vectors, error) => {
    const data = vectors.map((embedding) => ({ object: 'embedding', embedding }));
    gateway.replace('embeddings', json({ object: 'list', data }));

    expect(await check({ model: null, embeddingModel: fakeEmbeddingModel })).toMatchObject({
      embeddings_created: error,
    });
  });

  it('require a deleted key to be refused', async () => {
    const deletedApiKey = 'pt_live_543210zyxwvutsrqponmlkjihgfedcba';
    expect(await check({ deletedApiKey })).toEqual({ ...allPassed, deleted_key_refused: 'ok' });

    gateway.apiKeys.add(deletedApiKey);
    expect(await check({ deletedApiKey })).toMatchObject({
      deleted_key_refused: 'Expected 401 invalid_api_key, got 400 model_not_found',
    });
  });

  it('of a function URL read the reports of the REST API', async () => {
    const functionUrl = await startFakeGateway(apiKey);
    const result = await check({ endpoint: { name: 'function_url', baseUrl: functionUrl.baseUrl } });
    await functionUrl.stop();

    expect(result).toEqual(allPassed);
    expect(functionUrl.requests).toEqual(['unknown key', 'unknown model', 'stream test', 'completion']);
    expect(gateway.requests).toEqual(['entry', 'entry', 'list', 'costs', 'costs']);
  });

  it.each<[string, FakeRequest, FakeResponse, string, string]>([
    [
      'an unknown key is accepted',
      'unknown key',
      json({ object: 'chat.completion' }),
      'unknown_key_refused',
      'Expected 401 invalid_api_key, got 200 without an error code',
    ],
    [
      'the error of an unknown key has another format',
      'unknown key',
      json({ error: { code: 'invalid_api_key', message: 'No' } }, 401),
      'unknown_key_refused',
      "Expected an error in OpenAI's format: message, param, code and the type authentication_error",
    ],
    [
      'the key itself is refused',
      'unknown model',
      {
        status: 401,
        headers: { 'x-gateway-request-id': fakeLogId },
        body: errorBody('invalid_api_key', 'authentication_error'),
      },
      'unknown_model_refused',
      `The gateway does not accept the key: got 401 invalid_api_key (request ${fakeLogId})`,
    ],
    [
      'events come late',
      'stream test',
      streamTest(300, 301, 299, 300, 0, 0, 0),
      'events_on_time',
      'Expected events as they are written, but 4 of 7 came more than 200 ms late: they are held back on their way. Set streamFlush: true and deploy, see docs/reliability.md',
    ],
    [
      'the test stream is cut off',
      'stream test',
      eventStream({ number: 1, count: 20, written_at: '2026-01-01T12:00:00.000Z' }),
      'events_on_time',
      'Expected a stream of 20 events, got 1 that do not make one',
    ],
    [
      'the test stream is another one',
      'stream test',
      eventStream(chunk, '[DONE]'),
      'events_on_time',
      'Expected a stream of numbered events, got 2 that do not make one',
    ],
    [
      'there is no test stream',
      'stream test',
      { status: 404, body: errorBody('not_found', 'invalid_request_error') },
      'events_on_time',
      'Expected 200, got 404 not_found',
    ],
    [
      'the provider fails',
      'completion',
      providerError,
      'completion_streamed',
      'Expected 200, got 502 provider_error',
    ],
    [
      'the response is not a stream',
      'completion',
      json({ object: 'chat.completion' }),
      'completion_streamed',
      'Expected a stream of events, got a response of another content type',
    ],
    [
      'the response has no id',
      'completion',
      { ...eventStream(chunk, usage, '[DONE]'), headers: { 'content-type': 'text/event-stream' } },
      'completion_streamed',
      'Expected the id of the request in the header X-Gateway-Request-Id',
    ],
    [
      'the stream is cut off',
      'completion',
      eventStream(chunk, usage),
      'completion_streamed',
      'Expected a stream that ends with [DONE], got 2 events without it',
    ],
    [
      'the stream ends with an error',
      'completion',
      eventStream(chunk, errorBody('provider_timeout', 'api_error')),
      'completion_streamed',
      'The stream ended with the error provider_timeout',
    ],
    [
      'the stream has no usage',
      'completion',
      eventStream(chunk, '[DONE]'),
      'completion_streamed',
      'Expected a chunk with the usage, which the request asked for',
    ],
    [
      'the log entry cannot be read',
      'entry',
      { status: 503, body: errorBody('service_unavailable', 'api_error') },
      'entry_found',
      `Expected the log entry ${fakeLogId}, got 503 service_unavailable`,
    ],
    [
      'the log entry has another outcome',
      'entry',
      json({ ...fakeEntry, outcome: 'interrupted' }),
      'entry_found',
      'Expected a log entry with the outcome "completed"',
    ],
    [
      'the log entry has no tokens',
      'entry',
      json({ ...fakeEntry, output_tokens: 0 }),
      'entry_found',
      'Expected a log entry with input and output tokens',
    ],
    [
      'the model has no price',
      'entry',
      json({ ...fakeEntry, cost_usd: 0, pricing: 'unknown' }),
      'entry_found',
      'Expected a log entry with a cost, but the model has no price: set one',
    ],
  ])('fail if %s', async (_, request, response, failed, error) => {
    gateway.replace(request, response);

    const results = await check();

    const passed = Object.entries(results).filter(([name]) => name !== failed);
    expect(results[failed]).toBe(error);
    expect(passed.map(([, result]) => result)).toEqual(passed.map(() => 'ok'));
    // The checks before the completion prevent no other; all others need the one before.
    const isIndependent = failed.endsWith('_refused') || failed === 'events_on_time';
    expect(Object.keys(results).at(-1)).toBe(isIndependent ? 'cost_counted' : failed);
  });

  it.each<[string, FakeRequest, FakeResponse, string, string, string]>([
    [
      'there is no log entry',
      'entry',
      { status: 404, body: errorBody('not_found', 'invalid_request_error') },
      'entry_found',
      `Expected the log entry ${fakeLogId}`,
      '404 not_found',
    ],
    [
      'no list has the log entry',
      'list',
      json({ data: [] }),
      'entry_listed',
      `Expected a list with the log entry ${fakeLogId}`,
      '200 without an error code',
    ],
    [
      'the cost is missing in the sums',
      'costs',
      json({ ...countedCosts, total_cost_usd: 0.000003 }),
      'cost_counted',
      'Expected sums of the minute that include the request and its cost',
      '200 without an error code',
    ],
    [
      'the sums are not complete',
      'costs',
      json({ ...countedCosts, complete_until: '2026-01-01T12:00:31.000Z' }),
      'cost_counted',
      'Expected sums of the minute that include the request and its cost',
      '200 without an error code',
    ],
  ])('fail if %s until the end', async (_, request, response, failed, error, last) => {
    gateway.replace('entry', json(fakeEntry));
    gateway.replace(request, response);
    const clock = createClock();

    expect((await check({ clock, maxDurationMs: 10_000 }))[failed]).toBe(
      `${error}, which ${gateway.baseUrl} did not return in time: its last response was ${last}`,
    );

    expect(clock.pausesMs.slice(0, 5)).toEqual([250, 500, 1000, 2000, 4000]);
  });

  it('fail if there is no response, or no end of it', async () => {
    gateway.replace('completion', null);
    const { completion_streamed } = await check({ maxDurationMs: 300 });
    expect(completion_streamed).toBe(
      `No complete response from ${gateway.baseUrl}/ai/chat/completions within 1 s`,
    );

    const baseUrl = await unreachableEndpoint();
    expect(await check({ endpoint: { name: 'rest_api', baseUrl }, model: null })).toEqual({
      unknown_key_refused: `No complete response from ${baseUrl}/ai/chat/completions: ECONNREFUSED`,
      unknown_model_refused: `No complete response from ${baseUrl}/ai/chat/completions: ECONNREFUSED`,
      events_on_time: `No complete response from ${baseUrl}/ai/stream-test: ECONNREFUSED`,
    });
  });

  it('never repeat a key or the text of a response', async () => {
    const text = { status: 500, body: JSON.stringify({ error: { code: apiKey, message: `Not ${apiKey}` } }) };
    for (const request of ['unknown key', 'unknown model', 'stream test', 'completion'] as const) {
      gateway.replace(request, text);
    }
    expect(await check()).toEqual({
      unknown_key_refused: 'Expected 401 invalid_api_key, got 500 …',
      unknown_model_refused: 'Expected 400 model_not_found, got 500 …',
      events_on_time: 'Expected 200, got 500 …',
      completion_streamed: 'Expected 200, got 500 …',
    });
  });
});
