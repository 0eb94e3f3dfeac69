/** Requests with hard budgets: what is reserved before the provider is called, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CounterItem,
  remainingOf,
  reservedUsd as reservedIn,
  slotOf,
} from '#lambdas/limits/counters/counter.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { parseLogEntry } from '#lambdas/request-log/entry-json.ts';
import { respondWith, startScriptedService } from '#test/support/aws/scripted-service.ts';
import { type ChatFixture, type ChatFixtureOptions, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type BudgetOwner, budgetOwners, type HardLimits } from '#test/support/chat/hard-budgets.ts';
import type { OpenAIUpstream } from '#test/support/providers/openai/upstream.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

/** A Monday. */
const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const now = () => new Date(receivedAtMs);
const toMidnightSeconds = (11 * 60 + 56) * 60;
const toDecemberSeconds = toMidnightSeconds + 7 * 86_400;

const periods = {
  day: { period: '2026-11-23', adjective: 'daily', end: '2026-11-24T00:00:00.000Z' },
  month: { period: '2026-11', adjective: 'monthly', end: '2026-12-01T00:00:00.000Z' },
} as const;

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages, max_completion_tokens: 100 };
/** 104 bytes × $4.25 + 100 tokens × $17 per million: the prices of the tier `priority`, which may serve any request. */
const reservedUsd = '0.002142';

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

function setUp({ dependencies, ...options }: ChatFixtureOptions = {}) {
  return fixture.setUp({ ...options, dependencies: { now, ...dependencies } });
}

/** Much more than the reservation. */
const enough: Record<BudgetOwner, HardLimits> = {
  organization: { month: '10' },
  key: { day: '1', month: '5' },
};

interface CounterState {
  dayRemaining: Usd;
  monthRemaining: Usd;
  /** By requests in progress, and those that are not counted yet. */
  reserved: Usd;
}

async function stateOf({ hardBudgets }: ChatHandlerFixture, owner: BudgetOwner): Promise<CounterState> {
  const counter: CounterItem = (await hardBudgets.findCounterItem(owner)) ?? expect.fail();
  return {
    dayRemaining: remainingOf(counter, '2026-11-23'),
    monthRemaining: remainingOf(counter, '2026-11'),
    reserved: reservedIn(counter, receivedAtMs),
  };
}

/** Without the address of the upstream. */
function sentRequests({ upstream }: { upstream: OpenAIUpstream }) {
  return upstream.requests.map(({ method, url, rawHeaders, body }) => {
    const host = rawHeaders.findIndex((name) => name.toLowerCase() === 'host');
    return { method, url, headers: rawHeaders.toSpliced(host, 2), body: body.toString() };
  });
}

describe('A request within its hard budgets', () => {
  it('reserves its maximum cost from both counters, and is sent like a request without a budget', async () => {
    const [withBudgets, without] = [await setUp({ hardLimits: enough }), await setUp()];

    const responses = [await withBudgets.gateway.post(request), await without.gateway.post(request)];

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses[0]?.text).toBe(responses[1]?.text);
    expect(sentRequests(withBudgets)).toEqual(sentRequests(without));
    expect(await withBudgets.gateway.entries()).toMatchObject([
      {
        outcome: 'completed',
        cost_usd: '0.0000975',
        pricing: 'table',
        budget_key_id: null,
        reserved_usd: reservedUsd,
        budget_counters: ['organization/organization-1/0', 'key/key-1/0'],
      },
    ]);
    expect(await stateOf(withBudgets.gateway, 'organization')).toEqual({
      dayRemaining: '999999999999.9999025',
      monthRemaining: '9.9999025',
      reserved: '0.0000975',
    });
    expect(await stateOf(withBudgets.gateway, 'key')).toEqual({
      dayRemaining: '0.9999025',
      monthRemaining: '4.9999025',
      reserved: '0.0000975',
    });
  });

  it('has the reservation as the cost of its placeholder, in case the function is killed', async () => {
    const { gateway } = await setUp({ hardLimits: enough });

    await gateway.post(request);

    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded', 'request_completed']);
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
    expect(await gateway.entries()).toMatchObject([
      {
        outcome: 'completed',
        stream: true,
        cost_usd: '0.0000975',
        budget_key_id: 'key_original',
        reserved_usd: streamReservedUsd,
        budget_counters: ['key/key-1/0'],
      },
    ]);
    expect(await stateOf(gateway, 'key')).toMatchObject({
      monthRemaining: '4.9999025',
      reserved: '0.0000975',
    });
  });

  it('reserves at the prices of audio if its response can contain audio', async () => {
    const { gateway, upstream } = await setUp({ hardLimits: { key: enough.key } });
    upstream.script(
      jsonResponse({
        model: 'gpt-4o-audio-preview-2025-06-03',
        choices: [
          { index: 0, message: { role: 'assistant', audio: { id: 'audio_1' } }, finish_reason: 'stop' },
        ],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 1000,
          total_tokens: 1010,
          completion_tokens_details: { audio_tokens: 1000 },
        },
      }),
    );

    await gateway.post({
      ...request,
      model: 'openai/gpt-4o-audio-preview',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      max_completion_tokens: 1000,
    });

    expect(await gateway.entries()).toMatchObject([
      {
        // 10 tokens × $2.50 + 1,000 tokens × $80 per million.
        cost_usd: '0.080025',
        pricing: 'table',
        // 190 bytes × $40 + 1,000 tokens × $80 per million.
        reserved_usd: '0.0876',
      },
    ]);
  });

  it('reserves at the dearest known prices of audio if those of its model are not known, and costs the assumed ones', async () => {
    const { gateway, upstream } = await setUp({ hardLimits: { key: enough.key } });
    upstream.script(
      jsonResponse({
        model: 'gpt-4o-2024-08-06',
        choices: [
          { index: 0, message: { role: 'assistant', audio: { id: 'audio_1' } }, finish_reason: 'stop' },
        ],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 100,
          total_tokens: 110,
          completion_tokens_details: { audio_tokens: 100 },
        },
      }),
    );

    await gateway.post({ ...request, modalities: ['text', 'audio'], service_tier: 'default' });

    expect(await gateway.entries()).toMatchObject([
      {
        // 10 tokens × $2.50 + 100 tokens × $10 per million.
        cost_usd: '0.001025',
        pricing: 'assumed',
        // 159 bytes × $166.666667 (66.7 × $2.50) + 100 tokens × $333.333334 (33.3 × $10) per million.
        reserved_usd: '0.059833333453',
      },
    ]);
  });

  it('reserves at the prices that were valid when it arrived, although they change before they are read', async () => {
    let at = new Date('2026-08-16T23:59:59.999Z');
    const { gateway } = await setUp({
      providers: ['deepseek'],
      hardLimits: { key: enough.key },
      credentials: () => {
        // From this day on, the same tokens cost $0.66 and $1.98.
        at = new Date('2026-08-17T00:00:00Z');
        return { deepseek: { api_key: 'sk-upstream' } };
      },
      dependencies: { now: () => at },
    });

    await gateway.post({ ...request, model: 'deepseek/deepseek-v4-pro' });

    // 115 bytes × $0.435 + 100 tokens × $0.87 per million.
    const reserved = { created_at: '2026-08-16T23:59:59.999Z', reserved_usd: '0.000137025' };
    expect(gateway.lines.map(({ entry }) => parseLogEntry(entry))).toMatchObject([
      { ...reserved, outcome: 'interrupted', latency_ms: 1 },
      { ...reserved, outcome: 'completed', latency_ms: 1 },
    ]);
  });

  it('reserves with one conditional write, and replaces the reservation with the cost by another one', async () => {
    const table = await startScriptedService(respondWith(200, '{}'));
    const hardLimits = { key: enough.key };
    const { gateway } = await setUp({ hardLimits, budgetsEndpoint: table.endpoint });

    await gateway.post(request);
    await table.stop();

    const { organizationId, apiKeyId } = gateway;
    const lease = `leased_2026-11-23_${Math.ceil((receivedAtMs + 60_000) / 30_000)}`;
    const common = {
      TableName: expect.stringMatching(/^BudgetCounters-/),
      Key: { counter_key: { S: `${organizationId}/${apiKeyId}` } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    expect(table.requests.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body)])).toEqual([
      [
        'DynamoDB_20120810.UpdateItem',
        {
          ...common,
          UpdateExpression:
            'SET #r0 = if_not_exists(#r0, limit_day) + :r0, #r1 = if_not_exists(#r1, limit_month) + :r1 ADD #leased :leased',
          ConditionExpression:
            'id = :id AND (#r0 >= :m0 OR (attribute_not_exists(#r0) AND limit_day >= :m0)) AND (#r1 >= :m1 OR (attribute_not_exists(#r1) AND limit_month >= :m1))',
          ExpressionAttributeNames: { '#r0': 'room_2026-11-23', '#r1': 'room_2026-11', '#leased': lease },
          ExpressionAttributeValues: {
            ':id': { S: 'key-1' },
            ':r0': { N: `-${reservedUsd}` },
            ':r1': { N: `-${reservedUsd}` },
            ':m0': { N: reservedUsd },
            ':m1': { N: reservedUsd },
            ':leased': { N: reservedUsd },
          },
        },
      ],
      [
        'DynamoDB_20120810.UpdateItem',
        {
          ...common,
          UpdateExpression:
            'SET #n0 = if_not_exists(#n0, #n1) + :v0, #n2 = if_not_exists(#n2, #n3) + :v1 ADD #n4 :v2, #n5 :v3',
          ConditionExpression: '#n6 = :v4 AND #n4 >= :v5',
          ExpressionAttributeNames: {
            '#n0': 'room_2026-11-23',
            '#n1': 'limit_day',
            '#n2': 'room_2026-11',
            '#n3': 'limit_month',
            '#n4': lease,
            '#n5': `pending_${slotOf(receivedAtMs)}`,
            '#n6': 'id',
          },
          ExpressionAttributeValues: {
            ':v0': { N: '0.0020445' },
            ':v1': { N: '0.0020445' },
            ':v2': { N: `-${reservedUsd}` },
            ':v3': { N: '0.0000975' },
            ':v4': { S: 'key-1' },
            ':v5': { N: reservedUsd },
          },
        },
      ],
    ]);
  });
});

describe('A hard budget', () => {
  it.each([
    ['key', { day: '1', month: '0.002' }, 'month', toDecemberSeconds],
    ['key', { day: '0.002', month: '1' }, 'day', toMidnightSeconds],
    ['key', { day: '0.002', month: '0.001' }, 'month', toDecemberSeconds],
    ['organization', { day: '0.002141999999' }, 'day', toMidnightSeconds],
  ] as const)(
    'of the %s with the limits %j returns 429 for the %s, and reserves nothing',
    async (owner, limits, refusing, retryAfterSeconds) => {
      const other = owner === 'key' ? 'organization' : 'key';
      const { gateway, upstream } = await setUp({
        hardLimits: { [other]: { month: '10' }, [owner]: limits },
      });

      const response = await gateway.post(request);

      const [entry] = await gateway.entries();
      const { adjective, period, end } = periods[refusing];
      const name = owner === 'key' ? 'API key' : 'organization';
      const amount = (limits as HardLimits)[refusing];
      expect([response.status, JSON.parse(response.text)]).toEqual([
        429,
        {
          error: {
            message: `The ${adjective} budget of the ${name} (${amount} USD) has too little left for this request, which may cost up to 0.002142 USD. It starts anew at ${end}; a lower limit of output tokens reserves less.`,
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
        'x-request-id': entry?.id,
        'x-should-retry': 'false',
      });
      expect(upstream.requests).toEqual([]);
      expect(gateway.lines.map(({ event }) => event)).toEqual(['request_completed']);
      expect(await gateway.entries()).toMatchObject([
        {
          status: 429,
          outcome: 'rejected',
          error_code: 'insufficient_quota',
          cost_usd: '0',
          pricing: null,
          usage_source: 'missing',
          overhead_ms: null,
          refusal: {
            by: 'budget',
            owner: owner === 'key' ? 'api_key' : owner,
            api_key_id: owner === 'key' ? gateway.apiKeyId : null,
            period: refusing,
            limit_usd: amount,
            needed_usd: reservedUsd,
            left_usd: amount,
            resets_at: end,
            reserved_by_others: false,
          },
          reserved_usd: null,
          budget_counters: [`${owner}/${owner}-1/${period}`],
        },
      ]);
      expect(await stateOf(gateway, other)).toMatchObject({ monthRemaining: '10', reserved: '0' });
      expect(await stateOf(gateway, owner)).toMatchObject({ reserved: '0' });
    },
  );

  it('is granted to the last digit', async () => {
    const { gateway, upstream } = await setUp({ hardLimits: { key: { month: reservedUsd } } });

    const first = await gateway.post(request);
    const second = await gateway.post(request);

    expect([first.status, second.status, upstream.requests.length]).toEqual([200, 429, 1]);
    expect(JSON.parse(second.text).error).toMatchObject({
      message:
        'The monthly budget of the API key (0.002142 USD) has too little left for this request, which may cost up to 0.002142 USD. It starts anew at 2026-12-01T00:00:00.000Z; a lower limit of output tokens reserves less.',
      code: 'insufficient_quota',
    });
    expect(second.headers).toMatchObject({
      'retry-after': String(toDecemberSeconds),
      'x-should-retry': 'false',
    });
    const byOutcome = Object.groupBy(await gateway.entries(), ({ outcome }) => outcome);
    expect(byOutcome).toMatchObject({
      completed: [{ refusal: null, reserved_usd: reservedUsd }],
      rejected: [{ refusal: { left_usd: '0.0020445', reserved_by_others: false }, reserved_usd: null }],
    });
    expect(await stateOf(gateway, 'key')).toMatchObject({
      monthRemaining: '0.0020445',
      reserved: '0.0000975',
    });
  });
});

describe('A free model', () => {
  it.each([
    ['openrouter', 'meta-llama/llama-3.3-70b-instruct:free'],
    ['openrouter', 'acme/new-model:free'],
    ['openrouter', 'Acme/New-Model:FREE'],
  ])('is admitted by an exhausted budget, and costs nothing: %s/%s', async (provider, model) => {
    const { gateway, upstream } = await setUp({
      providers: [provider],
      hardLimits: { key: { month: '0' } },
    });
    upstream.script(
      jsonResponse({
        model,
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 },
      }),
    );

    const { status } = await gateway.post({ ...request, model: `${provider}/${model}` });

    expect([status, upstream.requests.length]).toEqual([200, 1]);
    expect(await gateway.entries()).toMatchObject([
      { outcome: 'completed', cost_usd: '0', pricing: 'table', reserved_usd: '0', budget_counters: null },
    ]);
  });

  it('is not one of another provider whose name ends with :free', async () => {
    const { gateway, upstream } = await setUp({ hardLimits: { key: enough.key } });

    const { status, text } = await gateway.post({ ...request, model: 'openai/gpt-4o:free' });

    expect([status, JSON.parse(text).error.code, upstream.requests]).toEqual([403, 'model_not_priced', []]);
  });
});

describe('A model without a price', () => {
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'unlisted',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24, cost: 0.25 },
  };
  const models = [
    { model: 'openai/unlisted', cost_usd: '0', pricing: 'unknown' },
    // OpenRouter's responses state the cost, which is not known before.
    { model: 'openrouter/acme/unlisted', cost_usd: '0.25', pricing: 'provider' },
  ];
  const setUpBudgets = (allowsUnpriced: Record<BudgetOwner, boolean>) =>
    setUp({
      providers: ['openai', 'openrouter'],
      hardLimits: {
        organization: { month: '10', allowsUnpriced: allowsUnpriced.organization },
        key: { month: '5', allowsUnpriced: allowsUnpriced.key },
      },
    });

  it.each(models)('is refused by a budget that requires prices: $model', async ({ model }) => {
    const { gateway, upstream } = await setUpBudgets({ organization: true, key: false });
    const before = await Promise.all(budgetOwners.map(gateway.hardBudgets.findCounterItem));

    const { status, headers, text } = await gateway.post({ ...request, model });

    expect([status, JSON.parse(text)]).toEqual([
      403,
      {
        error: {
          message: `The model ${model} has no known price, which a hard budget of this API key requires: set one with "admin price set", or allow models without a price in the budget`,
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_priced',
        },
      },
    ]);
    expect(headers).not.toHaveProperty('retry-after');
    expect(upstream.requests).toEqual([]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_completed']);
    expect(await gateway.entries()).toMatchObject([
      {
        status: 403,
        outcome: 'rejected',
        error_code: 'model_not_priced',
        cost_usd: '0',
        reserved_usd: null,
        budget_counters: null,
      },
    ]);
    expect(await Promise.all(budgetOwners.map(gateway.hardBudgets.findCounterItem))).toEqual(before);
  });

  it.each(models)(
    'is forwarded without a reservation if all budgets allow it: $model',
    async ({ model, ...price }) => {
      const { gateway, upstream } = await setUpBudgets({ organization: true, key: true });
      upstream.script(jsonResponse(completion));

      const { status } = await gateway.post({ ...request, model });

      expect([status, upstream.requests.length]).toEqual([200, 1]);
      expect(await gateway.entries()).toMatchObject([
        {
          outcome: 'completed',
          ...price,
          reserved_usd: '0',
          budget_counters: null,
        },
      ]);
      expect(await stateOf(gateway, 'key')).toMatchObject({ monthRemaining: '5' });
    },
  );
});
