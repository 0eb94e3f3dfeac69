import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { schemaErrors, schemaPointer } from '#test/support/openapi.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

const allCertain = {
  assumed_requests: 0,
  assumed_cost_usd: 0,
  estimated_requests: 0,
  estimated_cost_usd: 0,
  uncertain_cost_share: 0,
};
const noDetails = {
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  reasoning_tokens: 0,
  unpriced_requests: 0,
  ...allCertain,
  uncertain_cost_share: null,
  error_requests: 0,
  provider_error_requests: 0,
  timeout_requests: 0,
  interrupted_requests: 0,
  client_closed_requests: 0,
  rejected_requests: 0,
  fallback_attempts: 0,
  mean_latency_ms: null,
  mean_overhead_ms: null,
  latency_ms: null,
  time_to_first_token_ms: null,
};
const openWindow = { start: null, end: null, rounded_to: null };
const emptySummary = {
  total_requests: 0,
  total_cost_usd: 0,
  total_input_tokens: 0,
  total_output_tokens: 0,
  ...noDetails,
  by_model: {},
  window: openWindow,
  time_zone: 'UTC',
  complete_until: '2026-02-10T12:34:56.789Z',
  max_percentile_error: 0.19,
};
const oneRequest = {
  requests: 1,
  input_tokens: 1200,
  output_tokens: 300,
  unpriced_requests: 0,
  ...allCertain,
};

describe('GET /api/costs', () => {
  let reports: ReportFixture;
  beforeAll(async () => {
    reports = await startReportFixture();
    reports.setTime(new Date('2026-02-10T12:34:56.789Z'));
  });
  afterAll(() => reports.stop());

  const costs = async (caller: Caller, query = '') => {
    const { status, body } = await reports.get('costs', { caller, query });
    expect([status, schemaErrors(body, schemaPointer('CostSummary'))]).toEqual([200, []]);
    return body;
  };
  const errorOf = async (caller: Caller, query: string) => {
    const { status, body } = await reports.get('costs', { caller, query });
    const { error } = body as { error: { param: string; message: string; code: string; type: string } };
    expect([status, error.type, error.code]).toEqual([400, 'invalid_request_error', 'invalid_request_error']);
    return error;
  };
  const writeEntries = async (caller: Caller, ...fields: Partial<LogEntry>[]) => {
    const entries = fields.map((entry) => logEntry({ ...entry, organization_id: caller.organizationId }));
    await reports.write(...entries);
    await reports.rollUp(entries);
    return entries;
  };
  const idAt = (time: string, shard = 0) => createLogId(Date.parse(time), shard);

  it('returns zeros and empty lists without requests', async () => {
    expect(await costs(await reports.newCaller())).toEqual(emptySummary);
    expect(
      await costs(await reports.newCaller(), 'group_by=user_id&start=2026-02-10T10:15:00Z&interval=hour'),
    ).toEqual({
      ...emptySummary,
      window: { start: '2026-02-10T10:15:00.000Z', end: '2026-02-10T13:00:00.000Z', rounded_to: null },
      group_by: 'user_id',
      groups: [],
      other: null,
      interval: 'hour',
      series: [
        ['2026-02-10T10:15:00.000Z', '2026-02-10T11:00:00.000Z'],
        ['2026-02-10T11:00:00.000Z', '2026-02-10T12:00:00.000Z'],
        ['2026-02-10T12:00:00.000Z', '2026-02-10T13:00:00.000Z'],
      ].map(([start, end]) => ({
        start,
        end,
        requests: 0,
        cost_usd: 0,
        input_tokens: 0,
        output_tokens: 0,
        ...noDetails,
        groups: [],
        other: null,
      })),
    });
  });

  it('adds up costs by model, with errors, durations, and requests with an assumed price and without one', async () => {
    const caller = await reports.newCaller();
    await writeEntries(
      caller,
      { cost_usd: '0.1' },
      { id: idAt('2026-02-01T00:00:00Z'), cost_usd: '0.2', pricing: 'assumed' },
      { id: idAt('2026-02-02T00:00:00Z'), model: 'new-model', cost_usd: '0', pricing: 'unknown' },
      { id: idAt('2026-02-03T00:00:00Z'), outcome: 'rejected', status: 400, cost_usd: '0' },
      {
        id: idAt('2026-02-04T00:00:00Z'),
        model: 'new-model',
        outcome: 'provider_error',
        input_tokens: null,
        output_tokens: null,
        cost_usd: '0',
        pricing: null,
      },
    );
    const { text } = await reports.get('costs', { caller });
    // All requests took 5120 ms, and 480 ms to the first token.
    const percentiles = (latency: [number, number], firstToken: [number, number]) => {
      const [{ 0: p50, 1: p95 }, { 0: first50, 1: first95 }] = [latency, firstToken];
      return (
        `"mean_latency_ms":5120,"mean_overhead_ms":7,"latency_ms":{"p50":${p50},"p95":${p95},"p99":${p95},"exact":false},` +
        `"time_to_first_token_ms":{"p50":${first50},"p95":${first95},"p99":${first95},"exact":false}`
      );
    };
    const ofFour = percentiles([5198, 5668], [459, 500]);
    const ofTwo = percentiles([4991, 5240], [450, 490]);
    expect(text).toBe(
      '{"total_requests":4,"total_cost_usd":0.3,"total_input_tokens":3600,"total_output_tokens":900,' +
        '"cached_input_tokens":4096,"cache_write_input_tokens":0,"reasoning_tokens":512,"unpriced_requests":1,' +
        '"assumed_requests":1,"assumed_cost_usd":0.2,"estimated_requests":0,"estimated_cost_usd":0,' +
        '"uncertain_cost_share":0.6667,"error_requests":1,"provider_error_requests":1,' +
        '"timeout_requests":0,"interrupted_requests":0,"client_closed_requests":0,"rejected_requests":1,"fallback_attempts":0,' +
        ofFour +
        ',"by_model":{"gpt-4o":{"requests":2,"cost_usd":0.3,"input_tokens":2400,"output_tokens":600,' +
        '"cached_input_tokens":2048,"cache_write_input_tokens":0,"reasoning_tokens":256,"unpriced_requests":0,' +
        '"assumed_requests":1,"assumed_cost_usd":0.2,"estimated_requests":0,"estimated_cost_usd":0,' +
        '"uncertain_cost_share":0.6667,"error_requests":0,"provider_error_requests":0,' +
        '"timeout_requests":0,"interrupted_requests":0,"client_closed_requests":0,"rejected_requests":null,"fallback_attempts":0,' +
        ofTwo +
        '},"new-model":{"requests":2,"cost_usd":0,"input_tokens":1200,"output_tokens":300,' +
        '"cached_input_tokens":2048,"cache_write_input_tokens":0,"reasoning_tokens":256,"unpriced_requests":1,' +
        '"assumed_requests":0,"assumed_cost_usd":0,"estimated_requests":0,"estimated_cost_usd":0,' +
        '"uncertain_cost_share":null,"error_requests":1,"provider_error_requests":1,' +
        '"timeout_requests":0,"interrupted_requests":0,"client_closed_requests":0,"rejected_requests":null,"fallback_attempts":0,' +
        ofTwo +
        '}},"window":{"start":null,"end":null,"rounded_to":null},"time_zone":"UTC",' +
        '"complete_until":"2026-02-10T12:34:56.789Z","max_percentile_error":0.19}',
    );
  });

  it('groups by caller metadata, lists the top groups by cost and adds up the others', async () => {
    const caller = await reports.newCaller({ logShards: 3 });
    await writeEntries(
      caller,
      { id: idAt('2026-01-31T09:30:00Z'), user_id: 'ada', cost_usd: '0.2' },
      { id: idAt('2026-02-01T09:30:00Z', 1), user_id: 'bob', cost_usd: '0.5' },
      { id: idAt('2026-02-10T12:34:00Z', 2), user_id: 'ada', cost_usd: '0.2' },
      { id: idAt('2026-02-10T12:34:00Z', 1), user_id: null, cost_usd: '1' },
      { id: idAt('2026-02-10T12:34:00Z'), user_id: 'cyd', cost_usd: '0.4' },
    );
    const response = await costs(caller, 'group_by=user_id&limit=2');
    expect(response).toMatchObject({
      total_requests: 5,
      total_cost_usd: 2.3,
      total_input_tokens: 6000,
      total_output_tokens: 1500,
      unpriced_requests: 0,
      ...allCertain,
      by_model: {
        'gpt-4o': {
          requests: 5,
          cost_usd: 2.3,
          input_tokens: 6000,
          output_tokens: 1500,
          unpriced_requests: 0,
          ...allCertain,
        },
      },
      window: openWindow,
      group_by: 'user_id',
      groups: [
        { user_id: null, ...oneRequest, cost_usd: 1 },
        { user_id: 'bob', ...oneRequest, cost_usd: 0.5 },
      ],
      other: {
        groups: 2,
        requests: 3,
        cost_usd: 0.8,
        input_tokens: 3600,
        output_tokens: 900,
        unpriced_requests: 0,
        ...allCertain,
      },
    });
  });

  it.each([
    ['model', 'model', 'gpt-4o'],
    ['provider', 'provider', 'openai'],
    ['prompt_id', 'prompt_id', 'summarize'],
    ['session_id', 'session_id', 'session-1'],
    ['user_id', 'user_id', 'ada'],
    ['api_key', 'api_key_id', 'key_AAAAAAAAAAAAAAAA'],
  ])('groups by %s with the value in the field %s', async (groupBy, field, value) => {
    const caller = await reports.newCaller();
    await writeEntries(caller, { prompt_id: 'summarize', session_id: 'session-1', user_id: 'ada' });
    expect(await costs(caller, `group_by=${groupBy}`)).toMatchObject({
      group_by: groupBy,
      groups: [{ [field]: value, ...oneRequest, cost_usd: 0.00472 }],
      other: null,
    });
  });

  it('filters by model with and without a provider', async () => {
    const caller = await reports.newCaller();
    await writeEntries(
      caller,
      { cost_usd: '1' },
      { provider: 'openrouter', model: 'openai/gpt-4o', cost_usd: '2' },
      { provider: 'azure', cost_usd: '4' },
      { model: 'gpt-4o-mini', cost_usd: '8' },
    );
    const totalOf = async (query: string) => (await costs(caller, query)) as { total_cost_usd: number };
    expect(await totalOf('model=gpt-4o')).toMatchObject({ total_cost_usd: 5 });
    expect(await totalOf('model=openai/gpt-4o')).toMatchObject({ total_cost_usd: 3 });
    expect(await totalOf('model=gpt-4o&provider=azure')).toMatchObject({ total_cost_usd: 4 });
    expect(await totalOf('provider=openai&group_by=api_key')).toMatchObject({ total_cost_usd: 9 });
    expect(await totalOf('provider=mistral')).toMatchObject({ total_cost_usd: 0 });
  });

  it('filters by service tier, in sums and in the entries of a partial hour, with other filters and groups', async () => {
    const caller = await reports.newCaller();
    const priority = { service_tier: 'priority', user_id: 'ada' };
    await writeEntries(
      caller,
      { id: idAt('2026-02-09T10:30:00Z'), ...priority, cost_usd: '1' },
      { id: idAt('2026-02-09T11:30:00Z'), ...priority, cost_usd: '2', pricing: 'assumed' },
      { id: idAt('2026-02-09T11:30:00Z'), ...priority, cost_usd: '4', model: 'gpt-4o-mini' },
      { id: idAt('2026-02-09T10:30:00Z'), cost_usd: '8' },
      { id: idAt('2026-02-09T11:30:00Z'), cost_usd: '16' },
      { id: idAt('2026-02-09T11:30:00Z'), service_tier: null, cost_usd: '32' },
    );
    const tier = (query: string) => costs(caller, `service_tier=priority&${query}`);
    const partialHour = 'start=2026-02-09T10:15:00.000Z&interval=day';
    expect(await tier(`${partialHour}&group_by=user_id`)).toMatchObject({
      total_cost_usd: 7,
      assumed_requests: 1,
      assumed_cost_usd: 2,
      groups: [{ user_id: 'ada', requests: 3, cost_usd: 7, assumed_requests: 1, assumed_cost_usd: 2 }],
      other: null,
      series: [{ cost_usd: 7, assumed_requests: 1, assumed_cost_usd: 2 }, { cost_usd: 0 }],
    });
    expect(await tier('model=gpt-4o&group_by=api_key')).toMatchObject({ total_cost_usd: 3 });
    expect(await tier('provider=openai')).toMatchObject({ total_cost_usd: 7 });
    expect(await tier('provider=groq')).toMatchObject({ total_cost_usd: 0, by_model: {} });
    expect(await costs(caller, 'service_tier=default')).toMatchObject({ total_cost_usd: 24 });
    expect(await costs(caller)).toMatchObject({ total_cost_usd: 63 });
  });

  it('filters and groups by operation, in sums and in the entries of a partial hour, with rejected requests', async () => {
    const caller = await reports.newCaller();
    const embeddings = { operation: 'embeddings', user_id: 'ada' } as const;
    const rejected = { outcome: 'rejected', error_code: 'model_not_found', cost_usd: '0' } as const;
    await writeEntries(
      caller,
      { id: idAt('2026-02-09T10:30:00Z'), ...embeddings, cost_usd: '1', latency_ms: 40 },
      { id: idAt('2026-02-09T11:30:00Z'), ...embeddings, cost_usd: '2', latency_ms: 60 },
      { id: idAt('2026-02-09T11:30:00Z'), ...embeddings, ...rejected },
      { id: idAt('2026-02-09T10:30:00Z'), cost_usd: '8' },
      { id: idAt('2026-02-09T11:30:00Z'), operation: 'messages', user_id: 'ada', cost_usd: '16' },
      { id: idAt('2026-02-09T11:30:00Z'), ...rejected },
    );
    const partialHour = 'start=2026-02-09T10:15:00.000Z';
    expect(await costs(caller, `${partialHour}&interval=day&group_by=operation&limit=2`)).toMatchObject({
      total_cost_usd: 27,
      group_by: 'operation',
      groups: [
        { operation: 'messages', requests: 1, cost_usd: 16 },
        { operation: 'chat.completions', requests: 1, cost_usd: 8 },
      ],
      other: { groups: 1, requests: 2, cost_usd: 3, mean_latency_ms: 50 },
      series: [{ cost_usd: 27, groups: [{ operation: 'messages' }, { operation: 'chat.completions' }] }, {}],
    });
    expect(await costs(caller, `${partialHour}&operation=embeddings&group_by=user_id`)).toMatchObject({
      total_cost_usd: 3,
      total_requests: 2,
      mean_latency_ms: 50,
      groups: [{ user_id: 'ada', requests: 2, cost_usd: 3 }],
      other: null,
    });
    expect(await costs(caller, `${partialHour}&user_id=ada&group_by=operation`)).toMatchObject({
      groups: [
        { operation: 'messages', cost_usd: 16 },
        { operation: 'embeddings', cost_usd: 3 },
      ],
    });
    expect(await costs(caller, 'operation=embeddings&error_code=model_not_found')).toMatchObject({
      total_requests: 0,
      rejected_requests: 1,
    });
    expect(await costs(caller, 'group_by=operation&error_code=model_not_found')).toMatchObject({
      rejected_requests: 2,
      groups: [
        { operation: 'chat.completions', rejected_requests: 1 },
        { operation: 'embeddings', rejected_requests: 1 },
      ],
    });
    expect(await costs(caller, 'operation=responses')).toMatchObject({ total_requests: 0, by_model: {} });
  });

  it('compares with any range: its days with requests, and the groups of both ranges', async () => {
    const caller = await reports.newCaller();
    const written = [
      { time: '2026-02-09T10:30:00Z', user_id: 'ada', cost_usd: '4' },
      { time: '2026-02-09T11:30:00Z', user_id: 'bob', cost_usd: '2' },
      { time: '2026-02-09T11:45:00Z', user_id: 'cyd', cost_usd: '1' },
      // The local day of Berlin is 3 January.
      { time: '2026-01-02T23:30:00Z', user_id: 'eve', cost_usd: '8' },
      { time: '2026-01-03T22:30:00Z', user_id: 'cyd', cost_usd: '0.5' },
      { time: '2026-01-05T12:00:00Z', user_id: 'bob', cost_usd: '0.25' },
      { time: '2026-01-05T12:00:00Z', user_id: 'ada', cost_usd: '0', outcome: 'rejected' as const },
      { time: '2026-01-06T12:00:00Z', user_id: 'ada', cost_usd: '0', outcome: 'rejected' as const },
      { time: '2026-01-07T23:00:00Z', user_id: 'ada', cost_usd: '16' },
    ];
    await writeEntries(caller, ...written.map(({ time, ...fields }) => ({ id: idAt(time), ...fields })));
    const window = 'start=2026-02-09T00:00:00Z&end=2026-02-10T00:00:00Z&time_zone=Europe/Berlin';
    // The first of January until the seventh, in Berlin.
    const compared = 'compare_start=2025-12-31T23:00:00Z&compare_end=2026-01-07T23:00:00Z';
    expect(await costs(caller, `${window}&${compared}&group_by=user_id&limit=1`)).toMatchObject({
      total_cost_usd: 7,
      groups: [{ user_id: 'ada', cost_usd: 4 }],
      other: { groups: 2, cost_usd: 3 },
      previous: {
        window: { start: '2025-12-31T23:00:00.000Z', end: '2026-01-07T23:00:00.000Z' },
        days: { with_requests: 2, total: 7 },
        total_requests: 3,
        total_cost_usd: 8.75,
        rejected_requests: 2,
        groups: [{ user_id: 'eve', cost_usd: 8 }],
        other: { groups: 2, requests: 2, cost_usd: 0.75 },
      },
    });
    const { previous } = (await costs(caller, `${window}&${compared}&group_by=user_id&limit=2`)) as {
      previous: { groups: object[] };
    };
    expect(previous.groups).toMatchObject([
      { user_id: 'bob', cost_usd: 0.25 },
      { user_id: 'eve', cost_usd: 8 },
      { user_id: 'cyd', cost_usd: 0.5 },
    ]);
    expect(await costs(caller, `${window}&${compared}&group_by=api_key`)).toMatchObject({
      previous: { days: { with_requests: 2 }, groups: [{ requests: 3, rejected_requests: 2 }], other: null },
    });
    expect(await costs(caller, `${window}&${compared}&user_id=cyd`)).toMatchObject({
      previous: { days: { with_requests: 1, total: 7 }, total_cost_usd: 0.5 },
    });
    const quarter = 'compare_start=2025-10-01T00:00:00Z&compare_end=2026-01-03T00:00:00Z';
    expect(await costs(caller, `${window}&${quarter}`)).toMatchObject({
      previous: { days: null, total_requests: 1 },
    });
  });

  it('orders groups by any figure, and lists those whose value contains a text', async () => {
    const caller = await reports.newCaller();
    await writeEntries(
      caller,
      { id: idAt('2026-02-09T10:30:00Z'), prompt_id: 'Chat-Slow', cost_usd: '1', latency_ms: 9000 },
      { id: idAt('2026-02-09T10:31:00Z'), prompt_id: 'chat-fast', cost_usd: '2', latency_ms: 900 },
      { id: idAt('2026-02-09T10:32:00Z'), prompt_id: 'search', cost_usd: '4', latency_ms: 90 },
    );
    const listed = async (query: string) => {
      const { groups, other } = (await costs(caller, `group_by=prompt_id&${query}`)) as {
        groups: { prompt_id: string }[];
        other: { groups: number; cost_usd: number } | null;
      };
      return [groups.map(({ prompt_id }) => prompt_id).join(' '), other?.groups, other?.cost_usd];
    };
    expect(await listed('order_by=latency_p95&limit=2')).toEqual(['Chat-Slow chat-fast', 1, 4]);
    expect(await listed('order_by=mean_cost_usd&order=asc')).toEqual([
      'Chat-Slow chat-fast search',
      undefined,
      undefined,
    ]);
    expect(await listed('search=CHAT')).toEqual(['chat-fast Chat-Slow', 1, 4]);
  });

  it('counts rejected requests in totals, by key, operation and time, where nothing unknown of them is asked for', async () => {
    const caller = await reports.newCaller({ logShards: 9 });
    const rejected = {
      outcome: 'rejected',
      status: 429,
      error_code: 'insufficient_quota',
      cost_usd: '0',
    } as const;
    const unnamed = { provider: null, model: null, api_key_id: 'key_BBBBBBBBBBBBBBBB' };
    await writeEntries(
      caller,
      { id: idAt('2026-02-09T10:30:10Z'), user_id: 'ada', cost_usd: '1' },
      { id: idAt('2026-02-09T10:30:20Z', 8), ...rejected, user_id: 'ada' },
      { id: idAt('2026-02-09T10:30:40Z'), ...rejected, ...unnamed, operation: 'embeddings' },
      { id: idAt('2026-02-09T11:30:00Z'), ...rejected, ...unnamed },
    );
    // The first bound splits a minute.
    const window = 'start=2026-02-09T10:30:15.000Z&end=2026-02-09T12:00:00Z';
    expect(await costs(caller, `${window}&interval=hour`)).toMatchObject({
      total_requests: 0,
      rejected_requests: 3,
      by_model: {},
      series: [{ requests: 0, rejected_requests: 2 }, { rejected_requests: 1 }],
    });
    expect(
      await costs(caller, 'group_by=api_key&limit=1&start=2026-02-09T00:00:00Z&interval=day'),
    ).toMatchObject({
      total_requests: 1,
      rejected_requests: 3,
      groups: [{ api_key_id: 'key_AAAAAAAAAAAAAAAA', requests: 1, rejected_requests: 1 }],
      other: { groups: 1, requests: 0, cost_usd: 0, rejected_requests: 2 },
      series: [
        { requests: 1, rejected_requests: 3, other: { rejected_requests: 2 } },
        { rejected_requests: 0 },
      ],
    });
    expect(await costs(caller, 'group_by=operation')).toMatchObject({
      groups: [
        { operation: 'chat.completions', requests: 1, rejected_requests: 2 },
        { operation: 'embeddings', requests: 0, rejected_requests: 1 },
      ],
    });
    expect(await costs(caller, 'group_by=user_id')).toMatchObject({
      rejected_requests: 3,
      groups: [{ user_id: 'ada', rejected_requests: null }],
      other: null,
    });
    for (const groupBy of ['model', 'provider'])
      expect(await costs(caller, `group_by=${groupBy}`)).toMatchObject({
        rejected_requests: 3,
        by_model: { 'gpt-4o': { requests: 1, rejected_requests: null } },
        groups: [{ requests: 1, rejected_requests: null }],
        other: null,
      });
    expect(await costs(caller, 'operation=embeddings')).toMatchObject({ rejected_requests: 1 });
    expect(await costs(caller, 'api_key_id=key_BBBBBBBBBBBBBBBB')).toMatchObject({ rejected_requests: 2 });
    for (const filter of ['model=gpt-4o', 'provider=openai', 'service_tier=default', 'user_id=ada'])
      expect(await costs(caller, filter)).toMatchObject({ total_requests: 1, rejected_requests: null });
    expect(await costs(caller, 'group_by=error_code&provider=openai')).toMatchObject({
      rejected_requests: 1,
      groups: [{ error_code: 'insufficient_quota', requests: 0, rejected_requests: 1 }],
    });
    expect(await costs(caller, 'group_by=error_code&service_tier=default')).toMatchObject({
      rejected_requests: null,
    });
  });

  it('adds up ten thousand costs with twelve decimals exactly', async () => {
    const caller = await reports.newCaller();
    const entries = Array.from({ length: 10_000 }, (_, index) =>
      logEntry({
        organization_id: caller.organizationId,
        user_id: `user-${index % 3}`,
        cost_usd: `${index % 7}.${String(index * 7919 + 1).padStart(12, '0')}`,
      }),
    );
    for (let from = 0; from < entries.length; from += 1000)
      await reports.rollUp(entries.slice(from, from + 1000), from + 1);
    const { text } = await reports.get('costs', { caller, query: 'group_by=user_id' });
    const sumOf = (each: LogEntry[]) => each.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');
    expect(text).toContain(`"total_cost_usd":${sumOf(entries)},`);
    for (const user of ['user-0', 'user-1', 'user-2']) {
      const expected = sumOf(entries.filter(({ user_id }) => user_id === user));
      expect(text).toMatch(new RegExp(`"user_id":"${user}","requests":33\\d\\d,"cost_usd":${expected},`));
    }
  });

  it.each([
    ['end=2026-01-31', 'end'],
    ['start=2006-02-01T00:00:00Z&interval=day', 'interval'],
  ])('returns 400 for %s and names %s', async (query, param) => {
    expect(await errorOf(await reports.newCaller(), query)).toMatchObject({ param });
  });

  it('excludes the costs of other organizations', async () => {
    await writeEntries(await reports.newCaller(), {});
    expect(await costs(await reports.newCaller())).toEqual(emptySummary);
  });
});
