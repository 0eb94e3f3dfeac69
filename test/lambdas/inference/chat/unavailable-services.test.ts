import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createApiKeyFinder } from '#lambdas/access/key-lookup.ts';
import { createProviderSecretReader } from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import {
  awsAccessAt,
  closeConnection,
  type Responder,
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { type ChatFixture, type ChatFixtureOptions, startChatFixture } from '#test/support/chat/fixture.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import type { LogLine } from '#test/support/log-lines.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const now = () => new Date();

let fixture: ChatFixture;
let printed: LogLine[];
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  printed = recordLogLines();
  // Removes the backoff between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const unavailable = {
  error: {
    message: 'The gateway cannot reach its own data at the moment: send the request again',
    type: 'api_error',
    param: null,
    code: 'service_unavailable',
  },
};

describe('DynamoDB is unavailable', () => {
  it('returns 503 without calling the provider when the key cannot be looked up', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const apiKeys = createApiKeyFinder({ calls, tableName: 'Directory' });
    const { upstream, gateway } = await fixture.setUp({
      dependencies: { authenticate: createAuthenticate({ apiKeys, now }) },
    });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text)]).toEqual([503, unavailable]);
    expect(response.headers['retry-after']).toBe('1');
    expect(upstream.requests).toEqual([]);
    expect([gateway.lines, gateway.lostEntries, await gateway.entries()]).toEqual([[], [], []]);
    expect(printed).toMatchObject([{ event: 'service_unavailable' }]);
  });

  it('serves a caller with a cached key and sends the log entry to the queue', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const { gateway } = await fixture.setUp({
      dependencies: { logEntries: createLogEntryWriter({ calls, tableName: 'LogEntries', now }, 90) },
    });

    expect((await gateway.post({ ...request, stream: true })).status).toBe(200);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({ outcome: 'completed', total_tokens: 24 }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual([
      'request_forwarded',
      'request_completed',
      'log_entry_queued',
    ]);
  });
});

describe('Secrets Manager is unavailable', () => {
  async function readUnavailableSecret() {
    const access = awsAccessAt(await unreachableEndpoint());
    return createProviderSecretReader(
      createJsonService({ service: 'secretsmanager', access, now }),
      'secret',
    )();
  }

  it('returns 503 without calling the provider and logs the request', async () => {
    const { upstream, gateway } = await fixture.setUp({ credentials: readUnavailableSecret });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text)]).toEqual([503, unavailable]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ status: 503, outcome: 'rejected', error_code: 'service_unavailable' }),
    ]);
  });

  it('keeps using the cached credentials, even if a provider rejects one', async () => {
    let reads = 0;
    const { upstream, gateway } = await fixture.setUp({
      credentials: () => (reads++ === 0 ? { openai: { api_key: 'sk-old' } } : readUnavailableSecret()),
    });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads).toBe(2);
  });
});

describe('A hard budget cannot be checked', () => {
  const tables: ScriptedService[] = [];
  afterEach(async () => {
    await Promise.all(tables.splice(0).map((table) => table.stop()));
  });
  const startTable = async (responder: Responder) => {
    const table = await startScriptedService(responder);
    tables.push(table);
    return table.endpoint;
  };

  const hardLimits = { key: { month: '5' } };
  const otherCounter = { id: 'other', shards: 1, allows_unpriced: false };
  const throttled = '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}';
  const notWritten = {
    event: 'budget_counter_not_written',
    organization_id: expect.stringMatching(/^org_/),
    api_key_id: expect.stringMatching(/^key_/),
    effect: 'refused',
  };
  const failures: [string, () => Promise<ChatFixtureOptions>, object][] = [
    [
      'its counter is missing',
      async () => ({ keyBudget: otherCounter }),
      { ...notWritten, error: 'CounterMissingError' },
    ],
    [
      'its counter was replaced',
      async () => ({ hardLimits, keyBudget: otherCounter }),
      { ...notWritten, error: 'CounterMissingError' },
    ],
    [
      'its table is throttled',
      async () => ({ hardLimits, budgetsEndpoint: await startTable(respondWith(400, throttled)) }),
      { ...notWritten, error: 'ProvisionedThroughputExceededException', call: 'dynamodb.UpdateItem' },
    ],
    [
      'its table does not respond',
      async () => ({ hardLimits, budgetsEndpoint: await startTable(closeConnection) }),
      { ...notWritten, error: 'ECONNRESET', call: 'dynamodb.UpdateItem' },
    ],
    [
      'the custom prices cannot be read',
      async () => {
        const calls = tableCallsAt(await unreachableEndpoint());
        const pricing = createPricing({ ...emptyPriceTable, calls });
        return { hardLimits, dependencies: { loadPricing: async () => pricing } };
      },
      { event: 'service_unavailable', error: 'ECONNREFUSED', call: 'dynamodb.GetItem' },
    ],
  ];

  it.each(failures)(
    'refuses requests with 503 without calling the provider: %s',
    async (_, options, line) => {
      const { upstream, gateway } = await fixture.setUp(await options());

      const { status, headers, text } = await gateway.post(request);

      expect([status, JSON.parse(text)]).toEqual([
        503,
        {
          error: {
            message: 'The budget of this request cannot be checked at the moment: retry it',
            type: 'api_error',
            param: null,
            code: 'service_unavailable',
          },
        },
      ]);
      expect(headers).toMatchObject({ 'retry-after': '1' });
      expect(upstream.requests).toEqual([]);
      expect(gateway.lines.map(({ event }) => event)).toEqual(['request_completed']);
      expect(await gateway.entries()).toMatchObject([
        {
          status: 503,
          outcome: 'rejected',
          error_code: 'service_unavailable',
          cost_usd: '0',
          reserved_usd: null,
          budget_counters: null,
        },
      ]);
      expect(printed).toEqual([
        { level: 'ERROR', ...line, code: null, at: expect.stringMatching(/^[\w-]+\.ts:\d+:\d+$/) },
        {
          level: 'ERROR',
          event: 'budget_not_checked',
          organization_id: gateway.organizationId,
          api_key_id: gateway.apiKeyId,
        },
      ]);
    },
  );
});
