import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { countsOf, createEntryMetrics } from '#lambdas/costs/rollups/entry-metrics.ts';
import type { RollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import type { RateLimitRefusal } from '#lambdas/limits/refusal.ts';
import { createLog } from '#lambdas/platform/telemetry/log.ts';
import type { MonitoringLevel } from '#lambdas/platform/telemetry/metrics.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { readEmbeddedMetrics } from '#test/support/monitoring/embedded-metrics.ts';

const minute = Date.UTC(2026, 0, 31, 9, 30);
const nowMs = minute + 150_000;
const day = 86_400_000;

function record(
  fields: Partial<LogEntry> = {},
  { completedAtMs = minute + 30_000, writtenAtMs = nowMs - 1500, before = null as LogEntry | null } = {},
): RollupRecord {
  const latency_ms = fields.latency_ms ?? 5120;
  const created_at = new Date(completedAtMs - latency_ms).toISOString();
  return { sequenceNumber: '1', entry: logEntry({ created_at, latency_ms, ...fields }), before, writtenAtMs };
}

const records = (count: number, fields?: Partial<LogEntry>) =>
  Array.from({ length: count }, () => record(fields));

function publishAt(level: MonitoringLevel, batch: RollupRecord[], models: string[] = []) {
  const lines: string[] = [];
  const metrics = { level, stackName: 'Staging' };
  const write = (line: string) => lines.push(line);
  const log = createLog({ write, metrics, functionVersion: '7', now: () => nowMs });
  createEntryMetrics({ metrics, models, log, now: () => new Date(nowMs) })(batch);
  return lines;
}

/** The lines by time and dimensions, without the members that every line has. */
const parse = (lines: string[]) =>
  lines.map((line) => {
    const { timestamp, level, event, request_id, function_version, Stack, _aws, ...fields } =
      JSON.parse(line);
    return { atMs: _aws.Timestamp, ...fields };
  });

/** Without the last line, which has the lag. */
const publish = (batch: RollupRecord[], models?: string[]) =>
  parse(publishAt('all', batch, models)).slice(0, -1);

const failed: Partial<LogEntry> = { outcome: 'provider_error', status: 502, error_code: 'server_error' };

describe('The metrics of a batch', () => {
  it('have one line for each provider and minute of completion, with sums and single durations', () => {
    const batch = [
      record({ overhead_ms: 7 }),
      record({ provider: 'groq', time_to_first_token_ms: null, overhead_ms: null }),
      record({
        cost_usd: '0.1',
        latency_ms: 900,
        time_to_first_token_ms: 300,
        overhead_ms: 9,
        usage_source: 'estimated',
      }),
      record({ cost_usd: '0.2', pricing: 'assumed', ...failed }, { completedAtMs: minute + 59_999 }),
      record({ cost_usd: '0', input_tokens: null, output_tokens: null }, { completedAtMs: minute + 60_000 }),
    ];

    expect(publish(batch)).toEqual([
      {
        atMs: minute,
        Provider: 'openai',
        Requests: 3,
        ProviderErrors: 1,
        ProviderErrorResponses: 1,
        InputTokens: 3600,
        OutputTokens: 900,
        CostUsd: 0.30472,
        UncertainCostUsd: 0.3,
        AssumedRequests: 1,
        EstimatedRequests: 1,
        Latency: [5120, 900, 5120],
        TimeToFirstToken: [480, 300, 480],
        GatewayOverhead: [7, 9, 7],
      },
      {
        atMs: minute,
        Provider: 'groq',
        Requests: 1,
        ProviderErrors: 0,
        InputTokens: 1200,
        OutputTokens: 300,
        CostUsd: 0.00472,
        Latency: [5120],
      },
      {
        atMs: minute + 60_000,
        Provider: 'openai',
        Requests: 1,
        ProviderErrors: 0,
        Latency: [5120],
        TimeToFirstToken: [480],
        GatewayOverhead: [7],
      },
    ]);
  });

  it('are printed as log lines of the event request_metrics', () => {
    expect(publishAt('all', [record()]).map((line) => JSON.parse(line))).toMatchObject(
      [{ Requests: 1 }, { RollupLag: 1.5 }].map((metrics) => ({
        level: 'INFO',
        event: 'request_metrics',
        timestamp: new Date(nowMs).toISOString(),
        ...metrics,
      })),
    );
  });

  it('have a line of their own for a model only if the settings name it with its provider', () => {
    const batch = [
      ...records(2),
      record({ model: 'gpt-5.5' }),
      record({ provider: 'openrouter', model: 'openai/gpt-5.5' }),
    ];
    const lines = publish(batch, ['openai/gpt-5.5', 'openrouter/gpt-4o']);

    expect(lines.map(({ Provider, Model, Requests }) => [Provider, Model, Requests])).toEqual([
      ['openai', undefined, 2],
      ['openai', 'openai/gpt-5.5', 1],
      ['openrouter', undefined, 1],
    ]);
  });

  it('have lines of their own for operations other than chat completions, whose lines name none', () => {
    const embeddings = { operation: 'embeddings', time_to_first_token_ms: null } as const;
    const batch = [
      ...records(2),
      record({ ...embeddings, cost_usd: '0.25', latency_ms: 90 }),
      record({ ...embeddings, provider: 'groq', ...failed }),
      record({ ...embeddings, model: 'e-3', output_tokens: 0 }),
      record({ operation: 'responses' }),
    ];
    const lines = publish(batch, ['openai/e-3']);

    expect(
      lines.map(({ Provider, Model, Operation, Requests }) => [Provider, Model, Operation, Requests]),
    ).toEqual([
      ['openai', undefined, undefined, 2],
      ['openai', undefined, 'embeddings', 1],
      ['groq', undefined, 'embeddings', 1],
      ['openai', 'openai/e-3', 'embeddings', 1],
      ['openai', undefined, 'responses', 1],
    ]);
    expect(lines[1]).toEqual({
      atMs: minute,
      Provider: 'openai',
      Operation: 'embeddings',
      Requests: 1,
      ProviderErrors: 0,
      InputTokens: 1200,
      OutputTokens: 300,
      CostUsd: 0.25,
      Latency: [90],
      GatewayOverhead: [7],
    });
  });

  it('add up to the requests and the cost of each operation, of which chat is the total without the others', () => {
    const entries = fc.record({
      operation: fc.constantFrom(...operations),
      provider: fc.constantFrom('openai', 'groq'),
      model: fc.constantFrom('gpt-5.5', 'e-3'),
      completedAtMs: fc.constantFrom(minute, minute + 59_999, minute + 60_000),
      cents: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 120 }), (drawn) => {
        const batch = drawn.map(({ completedAtMs, cents, ...fields }) =>
          record({ ...fields, cost_usd: String(cents / 100) }, { completedAtMs }),
        );
        const published = publishAt('all', batch, ['openai/e-3']).flatMap(readEmbeddedMetrics);
        const sum = (name: string, operation?: string) =>
          published
            .filter(({ metric }) => metric.name === name)
            .filter(({ metric: { dimensions } }) =>
              isDeepStrictEqual(
                { ...dimensions },
                { Stack: 'Staging', ...(operation && { Operation: operation }) },
              ),
            )
            .flatMap(({ values }) => values)
            .reduce((total, value) => total + value, 0);
        const others = operations.filter((operation) => operation !== 'chat.completions');
        const withoutOthers = (name: string) =>
          others.reduce((rest, operation) => rest - sum(name, operation), sum(name));

        for (const operation of operations) {
          const expected = drawn.filter((entry) => entry.operation === operation);
          const isChat = operation === 'chat.completions';
          expect(isChat ? withoutOthers('Requests') : sum('Requests', operation)).toBe(expected.length);
          expect(isChat ? withoutOthers('CostUsd') : sum('CostUsd', operation)).toBeCloseTo(
            expected.reduce((total, { cents }) => total + cents, 0) / 100,
            8,
          );
        }
        expect(sum('Requests', 'chat.completions')).toBe(0);
      }),
    );
  });

  it('do not count changed entries, which are new prices or results of requests that have been counted', () => {
    const before = logEntry({ outcome: 'interrupted' });
    expect(publish([record({}, { before })])).toEqual([]);
  });

  it('count rejected requests for the stack only', () => {
    const rejected: Partial<LogEntry> = { outcome: 'rejected', status: 400, cost_usd: '0' };
    const batch = [
      record({ ...rejected, provider: null, model: 'no such model' }),
      record(rejected),
      record({ ...rejected, operation: 'embeddings' }),
    ];
    expect(publish(batch)).toEqual([{ atMs: minute, RejectedRequests: 3 }]);
  });

  it('count an attempt after which another target has served the request like a request, without its durations', () => {
    const superseded_by = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';
    const failed: Partial<LogEntry> = { outcome: 'provider_error', status: 502, cost_usd: '0.5' };
    const [ofStack] = publish([record({ ...failed, route: 'fast', superseded_by })]);

    // Callers did not get its status.
    expect(ofStack).toEqual({
      atMs: minute,
      Provider: 'openai',
      Requests: 1,
      ProviderErrors: 1,
      FallbackAttempts: 1,
      InputTokens: 1200,
      OutputTokens: 300,
      CostUsd: 0.5,
    });
  });

  it('count the requests that rate limits have refused, with one observation for each entry', () => {
    const rejected: Partial<LogEntry> = { outcome: 'rejected', status: 429, cost_usd: '0' };
    const refusal: RateLimitRefusal = {
      by: 'rate_limit',
      owner: 'organization',
      api_key_id: null,
      limit: 'concurrent',
      limit_value: 20,
      retry_after_ms: 1000,
    };
    const batch = [
      record(rejected),
      record({ ...rejected, refusal }),
      record({ ...rejected, refusal, refused_requests: 50 }),
    ];
    expect(publish(batch)).toEqual([{ atMs: minute, RejectedRequests: 52, RateLimitedRequests: [1, 50] }]);
    expect(parse(publishAt('alarms', batch))).toEqual([]);
  });

  it.each([
    ['now, when it is recovered', nowMs - day + 1, minute + 120_000],
    ['at its time, if that is more than a day ago', nowMs - day, minute - day + 120_000],
  ])('count an interrupted request %s, without a duration', (_, completedAtMs, atMs) => {
    const fields: Partial<LogEntry> = { outcome: 'interrupted', status: 502, error_code: 'interrupted' };
    const assumed: Partial<LogEntry> = { cost_usd: '1.5', input_tokens: null, output_tokens: null };
    expect(publish([record({ ...fields, ...assumed }, { completedAtMs })])).toEqual([
      {
        atMs,
        Provider: 'openai',
        Requests: 1,
        ProviderErrors: 0,
        InterruptedRequests: 1,
        CostUsd: 1.5,
      },
    ]);
  });

  it('are split into lines that the embedded metric format allows', () => {
    const batch = [...records(150), ...records(100, { time_to_first_token_ms: null })];
    const lines = publishAt('all', batch);

    expect(lines.map((line) => Buffer.byteLength(line)).every((bytes) => bytes < 3000)).toBe(true);
    const published = lines.flatMap(readEmbeddedMetrics);
    const valuesOf = (name: string) =>
      published
        .filter(({ metric }) => metric.name === name && metric.dimensions.Provider === undefined)
        .map(({ values }) => values.length);
    expect(valuesOf('Latency')).toEqual([100, 100, 50]);
    expect(valuesOf('TimeToFirstToken')).toEqual([100, 50]);
    expect(valuesOf('Requests')).toEqual([1]);
    expect(parse(lines)[0]).toMatchObject({ Requests: 250, CostUsd: 1.18 });
  });

  it.each([
    ['12 days old', nowMs - 12 * day, 1],
    ['14 days old, which CloudWatch does not accept', nowMs - 14 * day, 0],
    ['in two hours, which CloudWatch does not accept', nowMs + 2 * 3_600_000, 0],
  ])('leave out no request that CloudWatch accepts: one %s', (_, completedAtMs, count) => {
    expect(publish([record({}, { completedAtMs })])).toHaveLength(count);
  });

  it('leave out an entry that is not in the rollups, whose numbers may be anything', () => {
    expect(publish([record({ provider: null, cost_usd: 'x' })])).toEqual([]);
  });

  it('include the time since the first entry of the batch was written, as a value of now', () => {
    const batch = [
      record(),
      record({}, { writtenAtMs: nowMs - 7250, before: logEntry() }),
      record({}, { writtenAtMs: nowMs + 9 }),
    ];
    expect(parse(publishAt('all', batch)).at(-1)).toEqual({ atMs: nowMs, RollupLag: 7.25 });
    expect(parse(publishAt('all', [record({}, { writtenAtMs: nowMs + 9 })])).at(-1)).toEqual({
      atMs: nowMs,
      RollupLag: 0,
    });
    expect(publishAt('all', [])).toEqual([]);
  });

  it('have only what the default alarms need at their level: one line for each minute', () => {
    const batch = [
      record(),
      record({ provider: 'groq', operation: 'embeddings', ...failed }),
      record({ outcome: 'rejected', status: 400 }),
      record({ outcome: 'rejected', status: 400 }, { completedAtMs: minute + 60_000 }),
    ];
    expect(parse(publishAt('alarms', batch, ['openai/gpt-4o']))).toEqual([
      { atMs: minute, Requests: 2, ProviderErrors: 1 },
    ]);
  });

  it('are not printed at the level off', () => {
    expect(publishAt('off', records(3))).toEqual([]);
  });
});

const noUsage: Partial<LogEntry> = {
  input_tokens: null,
  output_tokens: null,
  usage_source: 'missing',
  pricing: null,
  cost_usd: '0',
};
const request = { Requests: 1, ProviderErrors: 0 };
const failure = (fields: Partial<LogEntry>) => countsOf(logEntry({ ...noUsage, ...fields }));

describe('countsOf', () => {
  it('counts a completed request with its tokens', () => {
    expect(countsOf(logEntry())).toEqual({ ...request, InputTokens: 1200, OutputTokens: 300 });
  });

  it.each([
    ['unknown', 'estimated', { UnpricedRequests: 1 }],
    ['assumed', 'estimated', { AssumedRequests: 1 }],
    ['table', 'estimated', { EstimatedRequests: 1 }],
    ['provider', 'estimated', {}],
  ] as const)('counts a request whose price is %s and whose usage is %s', (pricing, usage_source, counts) => {
    const fields: Partial<LogEntry> = { pricing, usage_source, output_tokens: 0 };
    expect(countsOf(logEntry(fields))).toEqual({ ...request, InputTokens: 1200, ...counts });
  });

  it('counts a rejected request as nothing else, even if its provider is known', () => {
    expect(failure({ outcome: 'rejected', status: 429, error_code: 'insufficient_quota' })).toEqual({
      RejectedRequests: 1,
    });
    expect(failure({ outcome: 'rejected', status: 503, error_code: 'service_unavailable' })).toEqual({
      RejectedRequests: 1,
    });
  });

  it('does not blame the provider for a caller who left or a function that was killed', () => {
    expect(failure({ outcome: 'client_closed', status: 499, error_code: 'provider_unavailable' })).toEqual({
      ...request,
      ClientDisconnects: 1,
    });
    expect(failure({ outcome: 'interrupted', status: 502, error_code: 'interrupted' })).toEqual({
      ...request,
      InterruptedRequests: 1,
    });
  });

  it.each([
    ['an unreachable provider', 502, 'provider_unavailable'],
    ['a status of 500', 502, 'server_error'],
    ['an overloaded provider', 503, 'overloaded_error'],
    ['a provider whose own code is that of the gateway', 503, 'service_unavailable'],
    ['a rejected credential of the gateway', 502, 'provider_authentication_failed'],
  ])('counts %s as an error of the provider and of the response', (_, status, error_code) => {
    expect(failure({ outcome: 'provider_error', status, error_code })).toEqual({
      ...request,
      ProviderErrors: 1,
      ProviderErrorResponses: 1,
    });
  });

  it.each([
    ['before the response', 504, { ProviderErrorResponses: 1 }],
    ['within a stream', 200, {}],
  ])('counts a timeout %s also as an error', (_, status, counts) => {
    expect(failure({ outcome: 'timeout', status, error_code: 'provider_timeout' })).toEqual({
      ...request,
      ProviderErrors: 1,
      ProviderTimeouts: 1,
      ...counts,
    });
  });

  it.each([
    [400, 'context_length_exceeded'],
    [400, 'model_not_found'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
  ])('counts a status of %d as a rejection by the provider, not as its error', (status, error_code) => {
    expect(failure({ outcome: 'provider_error', status, error_code })).toEqual({
      ...request,
      ProviderRejections: 1,
    });
  });

  it('counts a status of 429 as throttling, not as an error', () => {
    expect(failure({ outcome: 'provider_error', status: 429, error_code: 'slow_down' })).toEqual({
      ...request,
      ProviderThrottles: 1,
    });
  });

  it.each([
    ['server_error', { ProviderErrors: 1 }],
    ['provider_error', { ProviderErrors: 1 }],
    [null, { ProviderErrors: 1 }],
    ['rate_limit_exceeded', { ProviderThrottles: 1 }],
    ['invalid_request_error', { ProviderRejections: 1 }],
  ])('classifies an error within a stream by its code: %s', (error_code, counts) => {
    expect(failure({ outcome: 'provider_error', status: 200, error_code })).toEqual({
      ...request,
      ...counts,
    });
  });

  it.each([
    ['api_error', 500],
    ['overloaded_error', 529],
  ])("counts a provider's own status that was passed on: %s", (error_code, status) => {
    expect(failure({ outcome: 'provider_error', status, error_code })).toEqual({
      ...request,
      ProviderErrors: 1,
      ProviderErrorResponses: 1,
    });
  });

  it('counts no failure of the provider when the gateway failed', () => {
    expect(failure({ outcome: 'provider_error', status: 500, error_code: 'internal_error' })).toEqual(
      request,
    );
  });
});
