/** Requests with hard budgets: what is reserved before the provider is called, and what is refused. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Counter, roomOf, slotOf } from '#lambdas/limits/counter.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import {
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHarness } from '#test/support/chat/harness.ts';
import { type BudgetOwner, budgetOwners, type HardLimits } from '#test/support/chat/hard-budgets.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

/** A Monday. */
const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const now = () => new Date(receivedAtMs);
const toMidnightSeconds = (11 * 60 + 56) * 60;
const toDecemberSeconds = toMidnightSeconds + 7 * 86_400;

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages, max_completion_tokens: 100 };
/** 104 bytes × $4.25 + 100 tokens × $17 per million: the prices of the tier `priority`, which may serve any request. */
const reservedUsd = '0.002142';

let fixture: ChatFixture;
let printed: string[];
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void printed.push(line));
  // Removes the backoff between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

type SetUpOptions = Parameters<ChatFixture['setUp']>[0];

function setUp({ dependencies = {}, ...options }: SetUpOptions = {}) {
  return fixture.setUp({ ...options, dependencies: { now, ...dependencies } });
}

/** Much more than the reservation. */
const enough: Record<BudgetOwner, HardLimits> = {
  organization: { month: '10' },
  key: { day: '1', month: '5' },
};

interface CounterState {
  dayRoom: Usd;
  monthRoom: Usd;
  /** The sum of the reservations of the ten minutes in which the request was received. */
  reserved: Usd | undefined;
}

async function stateOf({ hardBudgets }: ChatHarness, owner: BudgetOwner): Promise<CounterState> {
  const counter: Counter = (await hardBudgets.findCounter(owner)) ?? expect.fail();
  return {
    dayRoom: roomOf(counter, '2026-11-23'),
    monthRoom: roomOf(counter, '2026-11'),
    reserved: counter.slots.get(slotOf(receivedAtMs)),
  };
}

async function loggedEntry(gateway: ChatHarness) {
  const entries = await gateway.entries();
  expect(entries).toHaveLength(1);
  return entries[0];
}

describe('A request within its hard budgets', () => {
  it('reserves its maximum cost from both counters, and is sent like a request without a budget', async () => {
    const [withBudgets, without] = [await setUp({ hardLimits: enough }), await setUp()];

    const responses = [await withBudgets.gateway.post(request), await without.gateway.post(request)];

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses[0]?.text).toBe(responses[1]?.text);
    expect(sentRequests(withBudgets)).toEqual(sentRequests(without));
    expect(await loggedEntry(withBudgets.gateway)).toMatchObject({
      outcome: 'completed',
      cost_usd: '0.0000975',
      pricing: 'table',
      budget_key_id: null,
      reserved_usd: reservedUsd,
      budget_counters: ['organization/organization-1/0', 'key/key-1/0'],
    });
    expect(await stateOf(withBudgets.gateway, 'organization')).toEqual({
      dayRoom: '999999999999.997858',
      monthRoom: '9.997858',
      reserved: reservedUsd,
    });
    expect(await stateOf(withBudgets.gateway, 'key')).toEqual({
      dayRoom: '0.997858',
      monthRoom: '4.997858',
      reserved: reservedUsd,
    });
  });

  it('has the reservation as the cost of its placeholder, in case the function is killed', async () => {
    const { gateway } = await setUp({ hardLimits: enough });

    await gateway.post(request);

    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded']);
    const [entry] = gateway.lines.map(({ entry }) => parseLogEntry(entry));
    expect(entry).toMatchObject({
      outcome: 'interrupted',
      cost_usd: reservedUsd,
      pricing: 'assumed',
      reserved_usd: reservedUsd,
      budget_counters: ['organization/organization-1/0', 'key/key-1/0'],
    });
  });

  it('may be a stream, with a key whose budget is that of the key it was rotated from', async () => {
    const { gateway, upstream } = await setUp({
      hardLimits: { key: enough.key },
      apiKeyFields: { budget_key_id: 'key_original' },
    });

    const response = await gateway.post({ ...request, stream: true });

    expect([response.status, response.text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    expect(upstream.requests).toHaveLength(1);
    // 14 bytes more than without `,"stream":true`.
    const streamReservedUsd = '0.0022015';
    expect(await loggedEntry(gateway)).toMatchObject({
      outcome: 'completed',
      stream: true,
      cost_usd: '0.0000975',
      budget_key_id: 'key_original',
      reserved_usd: streamReservedUsd,
      budget_counters: ['key/key-1/0'],
    });
    expect(await stateOf(gateway, 'key')).toMatchObject({ reserved: streamReservedUsd });
  });

  it('reserves with one conditional write for each counter', async () => {
    const table = await startTable(respondWith(200, '{}'));
    const { gateway } = await setUp({ hardLimits: enough, budgetsEndpoint: table.endpoint });

    await gateway.post(request);

    const organization = `${gateway.organizationId}/0`;
    const key = `${gateway.organizationId}/${gateway.apiKeyId}`;
    expect(table.requests.map(({ headers }) => headers['x-amz-target'])).toEqual([
      'DynamoDB_20120810.UpdateItem',
      'DynamoDB_20120810.UpdateItem',
    ]);
    expect(table.requests.map(({ body }) => JSON.parse(body)).sort(byCounterKey)).toEqual(
      [
        [organization, 'organization-1'],
        [key, 'key-1'],
      ].map(([counterKey, id]) => ({
        TableName: expect.stringMatching(/^Budgets-/),
        Key: { counter_key: { S: counterKey } },
        UpdateExpression:
          'SET #day = if_not_exists(#day, limit_day) - :usd, #month = if_not_exists(#month, limit_month) - :usd ADD #slot :usd',
        ConditionExpression:
          'id = :id AND (#day >= :usd OR (attribute_not_exists(#day) AND limit_day >= :usd)) AND (#month >= :usd OR (attribute_not_exists(#month) AND limit_month >= :usd))',
        ExpressionAttributeNames: {
          '#day': 'room_2026-11-23',
          '#month': 'room_2026-11',
          '#slot': `slot_${slotOf(receivedAtMs)}`,
        },
        ExpressionAttributeValues: { ':usd': { N: reservedUsd }, ':id': { S: id } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })),
    );
  });
});

describe('A request that a hard budget refuses', () => {
  it.each([
    ['key', { day: '1', month: '0.002' }, 'month', toDecemberSeconds],
    ['key', { day: '0.002', month: '1' }, 'day', toMidnightSeconds],
    ['key', { day: '0.002', month: '0.001' }, 'month', toDecemberSeconds],
    ['organization', { day: '0.002141999999' }, 'day', toMidnightSeconds],
  ] as const)(
    'gets 429 without calling the provider if the %s has %j, which names the %s',
    async (owner, limits, refusing, retryAfterSeconds) => {
      const other = owner === 'key' ? 'organization' : 'key';
      const { gateway, upstream } = await setUp({ hardLimits: { [other]: { month: '10' }, [owner]: limits } });

      const response = await gateway.post(request);

      const [entry] = await gateway.entries();
      const { adjective, period, end } = periods[refusing];
      const name = owner === 'key' ? 'API key' : 'organization';
      const amount = (limits as HardLimits)[refusing];
      expect([response.status, JSON.parse(response.text)]).toEqual([
        429,
        {
          error: {
            message: `The ${adjective} budget of the ${name} (${amount} USD) has too little left for this request, which may cost up to 0.002142 USD. It starts anew at ${end}; a lower max_completion_tokens reserves less.`,
            type: 'rate_limit_error',
            param: null,
            code: 'insufficient_quota',
          },
        },
      ]);
      expect(response.headers).toEqual({
        'content-type': 'application/json',
        'retry-after': String(retryAfterSeconds),
        'x-gateway-provider': 'openai',
        'x-gateway-request-id': entry?.id,
        'x-should-retry': 'false',
      });
      expect([upstream.requests, gateway.lines, printed]).toEqual([[], [], []]);
      expect(await loggedEntry(gateway)).toMatchObject({
        status: 429,
        outcome: 'rejected',
        error_code: 'insufficient_quota',
        cost_usd: '0',
        pricing: null,
        usage_source: 'missing',
        overhead_ms: null,
        reserved_usd: null,
        budget_counters: [`${owner}/${owner}-1/${period}`],
      });
      expect(await stateOf(gateway, other)).toMatchObject({ monthRoom: '10', reserved: '0' });
      expect(await stateOf(gateway, owner)).toMatchObject({ reserved: undefined });
    },
  );

  it('gets the remaining room, to the last digit', async () => {
    const { gateway } = await setUp({ hardLimits: { key: { month: reservedUsd } } });

    const statuses = [(await gateway.post(request)).status, (await gateway.post(request)).status];

    expect(statuses).toEqual([200, 429]);
    expect(await stateOf(gateway, 'key')).toMatchObject({ monthRoom: '0', reserved: reservedUsd });
  });
});
