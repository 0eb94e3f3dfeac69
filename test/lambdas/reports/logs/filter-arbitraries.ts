/** Random entries of all outcomes, and conditions on them. */
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
import { matchesErrorCode } from '#lambdas/request-log/error-code.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { fc } from '#test/support/fast-check.ts';

const hourMs = 3_600_000;
const maxRequestMs = 15 * 60_000;
export const nowMs = Date.UTC(2026, 2, 10, 9, 47, 13);

const orNull = (...values: string[]) => fc.constantFrom<string | null>(...values, null);

const completed = { outcome: 'completed', status: 200, error_code: null } as const;

function failed(outcome: Outcome, codes: string[], statuses: number[]) {
  return fc.record({
    outcome: fc.constant(outcome),
    status: fc.constantFrom(...statuses),
    error_code: fc.constantFrom(...codes),
  });
}

const results = fc.oneof(
  { weight: 5, arbitrary: fc.constant(completed) },
  {
    weight: 3,
    arbitrary: failed(
      'provider_error',
      ['rate_limit_exceeded', 'invented', 'provider:418'],
      [429, 429, 500, 200],
    ),
  },
  { weight: 1, arbitrary: failed('timeout', ['provider_timeout'], [504]) },
  { weight: 1, arbitrary: fc.constant({ outcome: 'client_closed', status: 200, error_code: null } as const) },
  { weight: 1, arbitrary: failed('interrupted', ['interrupted'], [500]) },
  {
    weight: 3,
    arbitrary: failed('rejected', ['model_not_found', 'invalid_request_error', 'invented'], [400, 429]),
  },
);

const attempt: Partial<LogEntry> = {
  route: 'fast',
  superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
};

const age = fc.oneof(
  fc.integer({ min: 0, max: 4 * hourMs }),
  fc.integer({ min: 0, max: 60 * hourMs }),
  // At the edges of hours and days, often with several entries.
  fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(-1, 0, 1))
    .map(([hours, ms]) => (nowMs % hourMs) + hours * hourMs + ms),
  fc.integer({ min: 0, max: 80 * 24 * hourMs }),
);

export const entrySpec = fc.record({
  age,
  shardSeed: fc.nat(),
  durationMs: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: maxRequestMs })),
  /** Expired entries are counted; they may still be in the table. */
  storage: fc.constantFrom('stored', 'stored', 'stored', 'stored', 'stored', 'stored', 'expired', 'deleted'),
  isRepriced: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  fields: fc
    .record({
      result: results,
      names: fc.constantFrom(
        { provider: 'openai', model: 'm' },
        { provider: 'openai', model: 'm' },
        { provider: 'x', model: 'openai/m' },
        { provider: 'x', model: 'n' },
        { provider: null, model: null },
      ),
      service_tier: orNull('flex'),
      operation: fc.constantFrom('chat.completions', ...operations),
      api_key_id: fc.constantFrom('key_a', 'key_a', 'key_b'),
      user_id: orNull('u', 'v'),
      prompt_id: orNull('p'),
      routed: fc.constantFrom<Partial<LogEntry>[]>({}, {}, { route: 'fast' }, attempt),
      cost_usd: fc.constantFrom('0', '0.000000000001', '0.1', '0.2', '3'),
      total_tokens: fc.constantFrom(null, 0, 10, 11, 5000),
      time_to_first_token_ms: fc.constantFrom(null, 0, 1, 400, 401, 9000),
      retries: fc.constantFrom(null, null, 1, 2),
      finish_reason: orNull('stop', 'length'),
      response_id: orNull('resp_1', 'resp_2'),
    })
    .map(({ result, names, routed, ...others }): Partial<LogEntry> => {
      const isRejected = result.outcome === 'rejected';
      // Only requests that reached a provider, and failed before the first token, have attempts.
      const canFallBack = result.outcome === 'provider_error' || result.outcome === 'timeout';
      const route = routed === attempt && !canFallBack ? { route: attempt.route } : routed;
      const isAttempt = route === attempt;
      // Only rejected requests can lack a provider and a model, and have no tier.
      const named = isRejected || names.provider !== null ? names : { provider: 'x', model: 'n' };
      const tokens = {
        input_tokens: others.total_tokens,
        output_tokens: others.total_tokens === null ? null : 0,
      };
      const unused = { service_tier: null, total_tokens: null, cost_usd: '0', time_to_first_token_ms: null };
      return {
        ...result,
        ...named,
        ...others,
        ...tokens,
        ...route,
        ...(isRejected && unused),
        ...(isAttempt && { time_to_first_token_ms: null }),
      };
    }),
});

export type EntrySpec = typeof entrySpec extends fc.Arbitrary<infer Value> ? Value : never;

const optional = <Value>(weight: number, value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const bound = age.map((ms) => new Date(nowMs - ms).toISOString());

export const conditions = fc
  .record({
    api_key_id: optional(1, fc.constantFrom('key_a', 'key_b', 'key_none')),
    outcome: optional(
      1,
      fc.constantFrom(
        'completed',
        'provider_error',
        'timeout',
        'client_closed',
        'interrupted',
        'rejected',
        'none',
      ),
    ),
    error_code: optional(
      1,
      fc.constantFrom(
        'rate_limit_exceeded',
        'model_not_found',
        'invented',
        'provider:429',
        'provider:500',
        'provider:200',
        'provider:418',
        'none',
      ),
    ),
    model: optional(5, fc.constantFrom('m', 'openai/m')),
    provider: optional(5, fc.constantFrom('x', 'openai')),
    service_tier: optional(5, fc.constant('flex')),
    operation: optional(5, fc.constantFrom('chat.completions', 'embeddings')),
    user_id: optional(5, fc.constant('u')),
    prompt_id: optional(5, fc.constant('p')),
    route: optional(5, fc.constantFrom('fast', 'none')),
    status: optional(5, fc.constantFrom('200', '400', '429')),
    finish_reason: optional(8, fc.constant('length')),
    response_id: optional(8, fc.constant('resp_1')),
    min_cost_usd: optional(4, fc.constantFrom('0', '0.000000000001', '0.2', '5')),
    max_cost_usd: optional(8, fc.constantFrom('5', '7')),
    min_latency_ms: optional(4, fc.constantFrom('0', '1', '5000', '200000')),
    min_time_to_first_token_ms: optional(6, fc.constantFrom('0', '1', '401', '9001')),
    min_total_tokens: optional(6, fc.constantFrom('0', '11', '5000')),
    min_retries: optional(8, fc.constantFrom('0', '1')),
    max_retries: optional(8, fc.constantFrom('1', '2')),
    start: optional(2, bound),
    end: optional(2, bound),
  })
  .map(({ start, end, ...others }) => {
    const isReversed = start !== undefined && end !== undefined && start > end;
    return { ...others, start: isReversed ? end : start, end: isReversed ? start : end };
  });

export type Conditions = typeof conditions extends fc.Arbitrary<infer Value> ? Value : never;

const numberFields = ['cost_usd', 'latency_ms', 'time_to_first_token_ms', 'total_tokens', 'retries'] as const;
export type NumberField = (typeof numberFields)[number];

export function numberOf(entry: LogEntry, field: NumberField): number | null {
  if (field === 'retries') return entry.retries ?? 0;
  return entry[field] === null ? null : Number(entry[field]);
}

/** With a simpler implementation than the one under test. A list that is sorted by a field has the entries with the field. */
export function matches(entry: LogEntry, applied: Conditions, sorted?: NumberField): boolean {
  const { start = '', end = '~', status, error_code, model, ...others } = applied;
  const values: Record<string, string | undefined> = others;
  const isRange = (name: string) => /^(min|max)_/.test(name);
  const ranged = numberFields.filter(
    (field) => field === sorted || (values[`min_${field}`] ?? values[`max_${field}`]) !== undefined,
  );
  const hidden = ranged.some((field) => field.endsWith('_ms')) ? ['rejected', 'interrupted'] : ['rejected'];
  return (
    entry.created_at >= start &&
    entry.created_at < end &&
    (status === undefined || String(entry.status) === status) &&
    (error_code === undefined || matchesErrorCode(entry, error_code)) &&
    (model === undefined || entry.model === model || `${entry.provider}/${entry.model}` === model) &&
    Object.entries(values).every(
      ([name, value]) => value === undefined || isRange(name) || entry[name as keyof LogEntry] === value,
    ) &&
    (ranged.length === 0 || others.outcome !== undefined || !hidden.includes(entry.outcome)) &&
    ranged.every((field) => {
      const number = numberOf(entry, field);
      const [min = 0, max = Number.POSITIVE_INFINITY] = [values[`min_${field}`], values[`max_${field}`]];
      return number !== null && number >= Number(min) && number <= Number(max);
    })
  );
}
