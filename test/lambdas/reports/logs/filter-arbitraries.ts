/** Random entries of all outcomes, and conditions on them. */
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
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
    })
    .map(({ result, names, ...others }): Partial<LogEntry> => {
      const isRejected = result.outcome === 'rejected';
      // Only rejected requests can lack a provider and a model, and have no tier.
      const named = isRejected || names.provider !== null ? names : { provider: 'x', model: 'n' };
      return { ...result, ...named, ...others, ...(isRejected && { service_tier: null }) };
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
    status: optional(5, fc.constantFrom('200', '400', '429')),
    start: optional(2, bound),
    end: optional(2, bound),
  })
  .map(({ start, end, ...others }) => {
    const isReversed = start !== undefined && end !== undefined && start > end;
    return { ...others, start: isReversed ? end : start, end: isReversed ? start : end };
  });

export type Conditions = typeof conditions extends fc.Arbitrary<infer Value> ? Value : never;
