/** The rules for requests and responses of the Responses API with providers that have another API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf } from '#lambdas/limits/counters/counter.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';
import { startDemoUpstream } from '#local/providers/demo/upstream.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
  upstreamKey,
} from '#test/support/messages/translated-gateway.ts';
import { exampleCompletion, responseFormats } from '#test/support/providers/dialects/response-formats.ts';

let gateways: TranslatedGateways;
let mistral: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
  mistral = await gateways.start('mistral');
});
afterAll(() => gateways.stop());

const model = 'mistral/mistral-large-latest';
const { whole } = responseFormats.openai;
const hello = { whole: whole(exampleCompletion) };

describe('A request', () => {
  it('has nothing of the caller besides its body and the name of the program', async () => {
    const { request, headers, entry } = await mistral.ask({ model }, hello, {
      'openai-beta': 'responses=experimental',
      'openai-organization': 'org-1',
      'idempotency-key': 'i-1',
      'x-codex-turn-metadata': '{"cwd":"/secret"}',
      originator: 'codex_cli_rs',
      'gateway-user-id': 'ada',
      'gateway-prompt-id': 'greeting',
      'session-id': 'session-1',
      'user-agent': 'codex_cli_rs/0.171.0',
    });

    expect(request.url).toBe('/v1/chat/completions');
    const { host, connection, 'content-length': _, ...sent } = request.headers;
    expect(sent).toEqual({
      'accept-encoding': 'identity',
      authorization: `Bearer ${upstreamKey}`,
      'content-type': 'application/json',
      'user-agent': 'codex_cli_rs/0.171.0',
    });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'x-request-id': entry.id,
      'x-gateway-provider': 'mistral',
      'x-gateway-provider-request-id': request.requestId,
      'x-gateway-request-id': entry.id,
    });
    expect(entry).toMatchObject({ user_id: 'ada', prompt_id: 'greeting', session_id: 'session-1' });
  });

  it('reserves what it can cost from a hard budget, and is refused in the format of OpenAI', async () => {
    const { ask, handler } = await gateways.start('mistral', { hardLimits: { key: { month: '0.005' } } });

    const { entry } = await ask({ model, max_output_tokens: 1024 }, hello);
    const counter = await handler.hardBudgets.findCounterItem('key');
    const refused = await handler.post({ model, max_output_tokens: 8000, input: 'Hi' });

    // 1024 × $1.5 per million for the output, and the most that the input can cost.
    expect(Number(entry.reserved_usd)).toBeGreaterThan(0.001536);
    const month = entry.created_at.slice(0, 7);
    expect(counter && remainingOf(counter, month)).toBe(subtractUsd('0.005', entry.cost_usd));
    expect([refused.status, JSON.parse(refused.text).error]).toMatchObject([
      429,
      { type: 'rate_limit_error', code: 'insufficient_quota' },
    ]);
    expect(refused.headers['x-should-retry']).toBe('false');
  });

  it.each<[string, object, string]>([
    ['previous_response_id', { previous_response_id: 'resp_1' }, 'store: false'],
    ['conversation', { conversation: { id: 'conv_1' } }, 'store: false'],
    ['input[0].type', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'store: false'],
    ['prompt', { prompt: { id: 'pmpt_1' } }, 'instructions'],
  ])('that refers to %s is refused with the way out', async (param, fields, advice) => {
    const { handler, upstream } = mistral;
    const requests = upstream.requests.length;

    const { status, text } = await handler.post({ model, input: 'Hi', ...fields });

    expect([status, JSON.parse(text).error]).toMatchObject([
      400,
      { code: 'unsupported_parameter', param, message: expect.stringContaining(advice) },
    ]);
    expect(upstream.requests).toHaveLength(requests);
    expect((await handler.entries()).at(-1)).toMatchObject({ outcome: 'rejected', operation: 'responses' });
  });

  it('is served by the demo of the local run', async () => {
    const demo = await startDemoUpstream();
    try {
      const settings = { ...demo.settings, operations: { responses: false } } as const;
      const { handler } = await gateways.start('bare', { name: 'demo', settings: { demo: settings } });

      const { status, text } = await handler.post({ model: 'demo/demo-1', input: 'Hello!', store: true });

      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        {
          status: 'completed',
          store: false,
          output: [{ content: [{ text: expect.stringMatching(/^Hello from the local demo/) }] }],
        },
      ]);
    } finally {
      await demo.stop();
    }
  });
});

describe('A response', () => {
  it.each([
    ['length', 'max_output_tokens', 'length'],
    ['content_filter', 'content_filter', 'content_filter'],
  ])('that ends with %s is incomplete', async (finish, reason, logged) => {
    const { body, entry } = await mistral.ask({ model }, { whole: whole({ ...exampleCompletion, finish }) });

    expect(body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      completed_at: null,
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Hello there' }] }],
    });
    expect(entry).toMatchObject({ outcome: 'completed', finish_reason: logged });
  });
});
