/** What becomes of a log entry: the table, the queue, a line of the log; and that no caller waits for it. */
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PriceTable } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { entryText, readEntryText } from '#lambdas/request-log/entry-json.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Refuses, and what goes wrong is not printed. */
function refusal() {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  return Promise.reject(
    Object.assign(new Error('a secret'), { name: 'ProvisionedThroughputExceededException' }),
  );
}

describe('The line of a request that is forwarded', () => {
  it('is written before the provider is called, and holds the entry of a request that goes no further', async () => {
    const { upstream, gateway } = await bench.setUp();
    let linesBefore: unknown;
    upstream.script(({ response }) => {
      linesBefore = structuredClone(gateway.lines);
      response.destroy();
    });

    const reply = await gateway.post(
      { ...request, stream: true },
      { 'gateway-user-id': 'ada', 'gateway-session-id': 's-1' },
    );

    const id = reply.headers['x-gateway-request-id'];
    const interrupted = {
      id,
      organization_id: gateway.organizationId,
      created_at: expect.any(String),
      model: 'gpt-4o',
      provider: 'openai',
      status: 502,
      outcome: 'interrupted',
      stream: true,
      cost_usd: '0',
      usage_source: 'missing',
      latency_ms: expect.any(Number),
      session_id: 's-1',
      user_id: 'ada',
      api_key_id: gateway.apiKeyId,
    };
    expect(linesBefore).toEqual([{ level: 'INFO', event: 'request_forwarded', entry: interrupted }]);
    expect(readEntryText(gateway.lines[0]?.entry)).toMatchObject({
      id,
      outcome: 'interrupted',
      model: 'gpt-4o',
    });
  });

  it('is the only one of a request that goes well', async () => {
    const { gateway } = await bench.setUp();
    await gateway.post(request);
    await gateway.post({ ...request, stream: true });
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded', 'request_forwarded']);
  });

  it('has nothing of the prompt in it, and there is none of a request that no provider gets', async () => {
    const { gateway } = await bench.setUp();
    await gateway.post({ ...request, messages: [{ role: 'user', content: 'canary-prompt' }] });
    await gateway.post({ ...request, model: 'nosuch/model' });
    await gateway.post('{');
    expect(gateway.lines).toHaveLength(1);
    expect(JSON.stringify(gateway.lines)).not.toContain('canary');
  });
});

describe('The log entry of a request', () => {
  it('has the price of the moment in which the request came, though it ends after a change', async () => {
    const changeMs = Date.UTC(2026, 10, 20, 16, 30);
    let nowMs = changeMs - 1;
    const ratesOf: PriceTable['ratesOf'] = (lookup) =>
      priceTable.ratesOf({ ...lookup, model: lookup.at.getTime() < changeMs ? 'gpt-4o' : 'gpt-4o-mini' });
    const { upstream, gateway } = await bench.setUp({
      services: {
        now: () => new Date(nowMs),
        loadPriceTable: async () => ({ version: 'changing', ratesOf }),
      },
    });
    upstream.script((exchange) => {
      nowMs = changeMs + 60_000;
      return jsonResponse({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 0 } })(exchange);
    });

    await gateway.post(request);

    // $2.50 a million tokens, not $0.15.
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({
        created_at: '2026-11-20T16:29:59.999Z',
        latency_ms: 60_001,
        cost_usd: '0.0025',
      }),
    ]);
  });

  it('has no negative time when the clock was set back, so that the queue and the log can be read', async () => {
    let readings = 0;
    const { gateway } = await bench.setUp({
      services: {
        now: () => new Date(Date.UTC(2026, 10, 20) - 1000 * readings++),
        logEntries: { put: refusal },
      },
    });

    await gateway.post({ ...request, stream: true });

    const [entry] = gateway.lostEntries;
    expect(entry).toMatchObject({ latency_ms: 0, time_to_first_token_ms: 0 });
    expect(entry && readEntryText(entryText(entry))).toEqual(entry);
    expect(readEntryText(gateway.lines[0]?.entry)).toMatchObject({ latency_ms: 0 });
  });

  it('goes to the queue when the table does not take it, and the caller does not notice', async () => {
    const { gateway } = await bench.setUp({ services: { logEntries: { put: refusal } } });

    const reply = await gateway.post(request, { 'gateway-prompt-id': 'p' });

    expect(reply.status).toBe(200);
    expect(await gateway.entries()).toEqual([]);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({
        id: reply.headers['x-gateway-request-id'],
        organization_id: gateway.organizationId,
        outcome: 'completed',
        total_tokens: 24,
        cost_usd: '0.0000975',
        prompt_id: 'p',
      }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded']);
  });

  it('goes whole into a line when the queue does not take it either', async () => {
    const { gateway } = await bench.setUp({
      services: { logEntries: { put: refusal }, lostEntries: { send: refusal } },
    });
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});

    const reply = await gateway.post(request);

    expect(reply.status).toBe(200);
    const line = gateway.lines[1];
    expect(line).toMatchObject({ level: 'ERROR', event: 'log_entry_not_written' });
    const entry = readEntryText(line?.entry);
    expect(entry).toMatchObject({ outcome: 'completed', total_tokens: 24, cost_usd: '0.0000975' });
    expect(line?.entry).toEqual(entryText(entry));
    // Why it was not written is told too, without what the service said.
    expect(printed.mock.calls.map(([text]) => JSON.parse(text).error)).toEqual([
      'ProvisionedThroughputExceededException',
      'ProvisionedThroughputExceededException',
    ]);
    expect(JSON.stringify(printed.mock.calls)).not.toContain('secret');
  });

  it.each([
    ['a whole answer', false],
    ['a stream', true],
  ])(
    'keeps nobody waiting: %s ends before it is written, and the invocation after that',
    async (_, stream) => {
      const written = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<LogEntry>();
      const events: string[] = [];
      const put = (entry: LogEntry) => {
        events.push('put');
        begun.resolve(entry);
        return written.promise;
      };
      const { gateway } = await bench.setUp({ services: { logEntries: { put } } });

      const call = await gateway.call(gateway.event({ ...request, stream }));
      call.body.once('finish', () => events.push('answer ended'));
      void call.invocation.then(() => events.push('invocation ended'));
      expect(await text(call.body)).toContain('choices');
      await begun.promise;
      expect(events).toEqual(['answer ended', 'put']);

      written.resolve();
      await call.invocation;
      expect(events).toEqual(['answer ended', 'put', 'invocation ended']);
      expect(gateway.lostEntries).toEqual([]);
    },
  );
});
