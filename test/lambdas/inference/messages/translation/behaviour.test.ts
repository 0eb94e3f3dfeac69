/** The rules for requests and responses of the Messages API with providers that have another API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf } from '#lambdas/limits/counters/counter.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
  upstreamKey,
} from '#test/support/messages/translated-gateway.ts';
import { exampleCompletion, responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  event,
  exampleUsage,
} from '#test/support/providers/openai/events.ts';
import { controlledStream, jsonResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: TranslatedGateways;
let openai: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
  openai = await gateways.start('openai');
});
afterAll(() => gateways.stop());

const gpt = { model: 'openai/gpt-4o-mini' };
const { whole } = responseFormats.openai;
const hello = { whole: whole(exampleCompletion) };
const helloDelta = event(deltaChunk({ role: 'assistant', content: 'Hello' }));
const endEvents = [event(deltaChunk({}, 'stop')), event(buildChunk({ usage: exampleUsage })), doneEvent];

describe('A request', () => {
  it('has nothing of the caller besides its body and the name of the program', async () => {
    const { request, headers, entry } = await openai.ask(gpt, hello, {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-management-2025-06-27',
      'gateway-user-id': 'ada',
      'gateway-prompt-id': 'greeting',
      'x-claude-code-session-id': 'session-1',
      'user-agent': 'claude-cli/2.1.332',
    });

    expect(request.url).toBe('/v1/chat/completions');
    const { host, connection, 'content-length': _, ...sent } = request.headers;
    expect(sent).toEqual({
      'accept-encoding': 'identity',
      authorization: `Bearer ${upstreamKey}`,
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.332',
    });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'request-id': entry.id,
      'x-gateway-provider': 'openai',
      'x-gateway-provider-request-id': request.requestId,
      'x-gateway-request-id': entry.id,
    });
    expect(entry).toMatchObject({ user_id: 'ada', prompt_id: 'greeting', session_id: 'session-1' });
  });

  it('to a model that takes functions only without reasoning is sent again without it', async () => {
    const { ask, upstream } = await gateways.start('openai');
    const refusal =
      "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
    const refuse = jsonResponse({ error: { message: refusal, param: 'reasoning_effort' } }, { status: 400 });
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const respond = jsonResponse(hello.whole);

    upstream.script(refuse);
    const first = await ask({ ...gpt, tools }, respond);
    const second = await ask({ ...gpt, tools }, respond);
    const without = await ask(gpt, respond);

    expect(upstream.requests.map(({ body }) => JSON.parse(body.toString()).reasoning_effort)).toEqual([
      undefined,
      'none',
      'none',
      undefined,
    ]);
    expect([first, second, without].map(({ status, ignored }) => [status, ignored])).toEqual([
      [200, ['output_config.effort']],
      [200, ['output_config.effort']],
      [200, []],
    ]);
  });

  it('reserves what it can cost from a hard budget, and is refused in the format of Anthropic', async () => {
    const { ask, handler } = await gateways.start('openai', { hardLimits: { key: { month: '0.0015' } } });

    const { entry } = await ask(gpt, hello);
    const counter = await handler.hardBudgets.findCounterItem('key');
    const refused = await handler.post({
      ...gpt,
      max_tokens: 8000,
      messages: [{ role: 'user', content: 'Hi' }],
    });

    // 1024 × $0.6 per million for the output, and the most that the input can cost.
    expect(Number(entry.reserved_usd)).toBeGreaterThan(0.0006144);
    const month = entry.created_at.slice(0, 7);
    expect(counter && remainingOf(counter, month)).toBe(subtractUsd('0.0015', entry.cost_usd));
    expect([refused.status, JSON.parse(refused.text).error.type]).toEqual([429, 'rate_limit_error']);
    expect(refused.headers['x-should-retry']).toBe('false');
  });
});

describe('A response', () => {
  it('has pings in its silences once it has begun', async () => {
    const { handler, upstream } = await gateways.start('openai', { limits: { heartbeatMs: 20 } });
    const stream = controlledStream();
    upstream.script(stream.respond);
    const request = { ...gpt, max_tokens: 16, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
    const calling = handler.call(handler.event(request));
    await stream.write(helloDelta);
    const call = await calling;
    let text = '';
    for await (const chunk of call.body) {
      text += chunk;
      if (!text.includes('event: ping') || text.includes('message_stop')) continue;
      for (const end of endEvents) await stream.write(end);
      await stream.end();
    }
    await call.invocation;

    const types = text.split('\n').filter((line) => line.startsWith('event: '));
    expect(new Set(types)).toEqual(
      new Set(
        [
          ...['message_start', 'content_block_start', 'content_block_delta', 'ping', 'content_block_stop'],
          ...['message_delta', 'message_stop'],
        ].map((type) => `event: ${type}`),
      ),
    );
    expect(text).toContain('event: ping\ndata: {"type": "ping"}\n\n');
  });
});
