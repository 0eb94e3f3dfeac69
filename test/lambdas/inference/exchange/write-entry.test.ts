/** Tests that each request is logged exactly once - in the table, the queue or the log - without delaying the caller. */
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { type PriceTable, priceTable } from '#lambdas/pricing/table/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { parseLogEntry, serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { withoutCommonFields } from '#test/support/log-lines.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { buildChunk, deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

function failingWrite() {
  return Promise.reject(
    Object.assign(new Error('a secret'), { name: 'ProvisionedThroughputExceededException' }),
  );
}

/** By name, without the message of the service. */
const loggedError = {
  error: 'ProvisionedThroughputExceededException',
  code: null,
  at: expect.stringMatching(/^write-entry\.test\.ts:\d+:\d+$/),
};

describe('Log line request_forwarded', () => {
  it('logs an interrupted entry before it calls the provider', async () => {
    const { upstream, gateway } = await fixture.setUp();
    let linesBefore: unknown;
    upstream.script(({ response }) => {
      linesBefore = structuredClone(gateway.lines);
      response.destroy();
    });

    const response = await gateway.post(
      { ...request, stream: true },
      { 'gateway-user-id': 'ada', 'gateway-session-id': 's-1' },
    );

    const id = response.headers['x-gateway-request-id'];
    const interrupted = {
      id,
      organization_id: gateway.organizationId,
      created_at: expect.any(String),
      model: 'gpt-4o',
      provider: 'openai',
      operation: 'chat.completions',
      status: 502,
      outcome: 'interrupted',
      stream: true,
      input_tokens: 3,
      output_tokens: 0,
      total_tokens: 3,
      cached_input_tokens: 0,
      cache_write_input_tokens: 0,
      reasoning_tokens: 0,
      cost_usd: '0',
      pricing: 'unknown',
      usage_source: 'estimated',
      latency_ms: expect.any(Number),
      overhead_ms: expect.any(Number),
      session_id: 's-1',
      user_id: 'ada',
      api_key_id: gateway.apiKeyId,
      error_code: 'interrupted',
    };
    expect(linesBefore).toEqual([
      {
        timestamp: expect.any(String),
        level: 'INFO',
        event: 'request_forwarded',
        request_id: null,
        function_version: '1',
        log_id: id,
        entry: interrupted,
      },
    ]);
    expect(parseLogEntry(gateway.lines[0]?.entry)).toMatchObject({
      id,
      outcome: 'interrupted',
      model: 'gpt-4o',
    });
  });

  it('is the only one of a successful request besides its completion line', async () => {
    const { gateway } = await fixture.setUp();
    await gateway.post(request);
    await gateway.post({ ...request, stream: true });
    const events = ['request_forwarded', 'request_completed'];
    expect(gateway.lines.map(({ event }) => event)).toEqual([...events, ...events]);
  });

  it('has no part of the prompt, and is missing for a rejected request', async () => {
    const { gateway } = await fixture.setUp();
    await gateway.post({ ...request, messages: [{ role: 'user', content: 'canary-prompt' }] });
    await gateway.post({ ...request, model: 'nosuch/model' });
    await gateway.post('{');
    expect(gateway.lines.map(({ event }) => event)).toEqual([
      'request_forwarded',
      'request_completed',
      'request_completed',
      'request_completed',
    ]);
    expect(JSON.stringify(gateway.lines)).not.toContain('canary');
  });
});

describe('Log entry', () => {
  it('prices an entry with the prices at the start of the request when they change before its end', async () => {
    const changeMs = Date.UTC(2026, 10, 20, 16, 30);
    let nowMs = changeMs - 1;
    const ratesOf: PriceTable['findRates'] = (lookup) =>
      priceTable.findRates({ ...lookup, model: lookup.at.getTime() < changeMs ? 'gpt-4o' : 'gpt-4o-mini' });
    const { upstream, gateway } = await fixture.setUp({
      dependencies: {
        now: () => new Date(nowMs),
        loadPricing: async () =>
          createPricing(emptyPriceTable, { ...priceTable, version: 'changing', findRates: ratesOf }),
      },
    });
    upstream.script((exchange) => {
      nowMs = changeMs + 60_000;
      return jsonResponse({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 0 } })(exchange);
    });

    await gateway.post(request);

    // $2.50 per million tokens, not $0.15.
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({
        created_at: '2026-11-20T16:29:59.999Z',
        latency_ms: 60_001,
        cost_usd: '0.0025',
      }),
    ]);
  });

  it.each([false, true])(
    'prices the readable part of the usage when a count is unreadable (stream: %s)',
    async (stream) => {
      const usage = { prompt_tokens: 19, completion_tokens: '5', total_tokens: 24 };
      const choice = { index: 0, message: { content: 'Hi' }, finish_reason: 'stop' };
      const { upstream, gateway } = await fixture.setUp();
      upstream.script(
        stream
          ? streamResponse([
              event(deltaChunk({ content: 'Hi' }, 'stop')),
              event(buildChunk({ usage })),
              doneEvent,
            ])
          : jsonResponse({ model: 'gpt-4o-mini', choices: [choice], usage }),
      );

      await gateway.post({ ...request, stream });

      expect(await gateway.entries()).toEqual([
        expect.objectContaining({
          outcome: 'completed',
          input_tokens: 19,
          output_tokens: 0,
          // 19 × $0.15 per million.
          cost_usd: '0.00000285',
          pricing: 'assumed',
          usage_source: 'incomplete',
          missing_usage: ['output_tokens'],
        }),
      ]);
    },
  );

  it('writes no negative durations to the queue and the log when the clock was set back', async () => {
    let readings = 0;
    const { gateway } = await fixture.setUp({
      dependencies: {
        now: () => new Date(Date.UTC(2026, 10, 20) - 1000 * readings++),
        logEntries: { put: failingWrite },
      },
    });

    await gateway.post({ ...request, stream: true });

    const [entry] = gateway.lostEntries;
    expect(entry).toMatchObject({ latency_ms: 0, time_to_first_token_ms: 0, overhead_ms: 0 });
    expect(entry && parseLogEntry(serializeLogEntry(entry))).toEqual(entry);
    expect(parseLogEntry(gateway.lines[0]?.entry)).toMatchObject({ latency_ms: 0, overhead_ms: 0 });
  });

  it('sends the entry to the queue when the table write fails, and returns 200', async () => {
    const { gateway } = await fixture.setUp({ dependencies: { logEntries: { put: failingWrite } } });

    const response = await gateway.post(request, { 'gateway-prompt-id': 'p' });

    expect(response.status).toBe(200);
    expect(await gateway.entries()).toEqual([]);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({
        id: response.headers['x-gateway-request-id'],
        organization_id: gateway.organizationId,
        outcome: 'completed',
        total_tokens: 24,
        cost_usd: '0.0000975',
        prompt_id: 'p',
      }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual([
      'request_forwarded',
      'request_completed',
      'log_entry_queued',
    ]);
    expect(gateway.lines.slice(2).map(withoutCommonFields)).toEqual([
      {
        level: 'ERROR',
        event: 'log_entry_queued',
        log_id: response.headers['x-gateway-request-id'],
        ...loggedError,
        QueuedEntries: 1,
      },
    ]);
  });

  it('leaves the entry in the completion line when the queue fails as well', async () => {
    const { gateway } = await fixture.setUp({
      dependencies: { logEntries: { put: failingWrite }, lostEntries: { send: failingWrite } },
    });

    const response = await gateway.post(request);

    expect(response.status).toBe(200);
    const line = gateway.lines[1];
    expect(line).toMatchObject({ level: 'INFO', event: 'request_completed' });
    const entry = parseLogEntry(line?.entry);
    expect(entry).toMatchObject({ outcome: 'completed', total_tokens: 24, cost_usd: '0.0000975' });
    expect(line?.entry).toEqual(serializeLogEntry(entry));
    expect(gateway.lines.slice(2).map(withoutCommonFields)).toEqual([
      {
        level: 'ERROR',
        event: 'log_entry_not_written',
        log_id: entry.id,
        ...loggedError,
        table_error: loggedError.error,
        UnwrittenEntries: 1,
      },
    ]);
  });

  it.each([
    ['is sent to the queue, too,', undefined, { QueuedEntries: 1 }],
    ['is logged', { send: failingWrite }, loggedError],
  ])('%s when its price could not be read', async (_, lostEntries, fields) => {
    const pricing = createPricing(emptyPriceTable);
    const { gateway } = await fixture.setUp({
      dependencies: {
        loadPricing: async () => ({ ...pricing, priceUsage: failingWrite }),
        ...(lostEntries && { lostEntries }),
      },
    });

    const response = await gateway.post(request);

    const [entry] = await gateway.entries();
    expect(response.status).toBe(200);
    expect(entry).toMatchObject({ total_tokens: 24, cost_usd: '0', pricing: 'unknown', region: null });
    expect(gateway.lostEntries).toEqual(lostEntries === undefined ? [entry] : []);
    expect(gateway.lines.slice(2).map(withoutCommonFields)).toEqual([
      { level: 'ERROR', event: 'price_not_read', log_id: entry?.id, ...fields },
    ]);
  });

  it.each([
    ['a non-streaming response', false],
    ['a stream', true],
  ])('ends %s before it writes the entry, and the invocation after it', async (_, stream) => {
    const written = Promise.withResolvers<void>();
    const started = Promise.withResolvers<LogEntry>();
    const events: string[] = [];
    const put = (entry: LogEntry) => {
      events.push('put');
      started.resolve(entry);
      return written.promise;
    };
    const { gateway } = await fixture.setUp({ dependencies: { logEntries: { put } } });

    const call = await gateway.call(gateway.event({ ...request, stream }));
    call.body.once('finish', () => events.push('response ended'));
    void call.invocation.then(() => events.push('invocation ended'));
    expect(await text(call.body)).toContain('choices');
    await started.promise;
    expect(events).toEqual(['response ended', 'put']);

    written.resolve();
    await call.invocation;
    expect(events).toEqual(['response ended', 'put', 'invocation ended']);
    expect(gateway.lostEntries).toEqual([]);
  });
});
