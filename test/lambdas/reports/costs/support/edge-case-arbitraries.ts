/** fast-check arbitraries for entries and queries: times at and next to every period bound, values that look like keys. */
import { createCalendar } from '#lambdas/reports/costs/calendar.ts';
import { type LogEntry, outcomes } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type CostParameters, noParameters } from './expected-costs.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Generated times are close to one of these: ends of years, months, days and hours, and the middle of a minute. */
const anchors = [
  '2025-11-30T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-31T09:30:15.500Z',
  '2026-02-01T00:00:00.000Z',
  '2026-02-28T23:00:00.000Z',
  '2026-03-05T12:00:30.000Z',
  // Clocks are set forward in Berlin.
  '2026-03-29T00:30:00.000Z',
].map((text) => Date.parse(text));

export const maxAnchorMs = Math.max(...anchors);

const maxOffsetMs = 40 * dayMs;

/** No generated time is earlier. */
export const minTimeMs = Math.min(...anchors) - maxOffsetMs;

export const edgeCaseTime: fc.Arbitrary<number> = fc
  .tuple(
    fc.constantFrom(...anchors),
    fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -2, max: 2 }) },
      { weight: 3, arbitrary: fc.integer({ min: -90_000, max: 90_000 }) },
      { weight: 2, arbitrary: fc.integer({ min: -2 * hourMs, max: 2 * hourMs }) },
      { weight: 1, arbitrary: fc.integer({ min: -maxOffsetMs, max: 0 }) },
    ),
  )
  .map(([anchor, offset]) => anchor + offset);

const wholeTime = fc
  .tuple(edgeCaseTime, fc.constantFrom(60_000, hourMs / 2, hourMs, dayMs))
  .map(([time, unit]) => Math.floor(time / unit) * unit);

const values = ['a', 'b', '#', '/', 'a#b', '1:a', '2026-01-31', '__proto__', 'é'.repeat(128), '😀', 'a '];
const value = fc.option(fc.constantFrom(...values));
const model = fc.constantFrom('gpt-4o', 'gpt-4o#mini', 'openai/gpt-4o', 'a/b/c', '模型', 'constructor');
const provider = fc.constantFrom('openai', 'openrouter', 'groq');
const serviceTier = fc.constantFrom(
  'default',
  'Standard',
  'priority',
  'a/b',
  '/',
  '1:a/',
  '#1',
  '模',
  '__proto__',
);
const cost = fc.oneof(
  fc.constantFrom('0', '0.1', '0.2', '0.000000000001', '12345678.900000000001'),
  fc
    .integer({ min: 1, max: 999_999_999 })
    .map((units) => `0.${String(units).padStart(12, '0')}`.replace(/0+$/, '')),
);
const errorCodes = ['rate_limit_exceeded', 'model_not_found', 'overloaded_error', 'provider:429', '#', null];
const milliseconds = fc.oneof(fc.nat(3), fc.nat(2000), fc.nat(900_000));
const tokens = fc.option(fc.integer({ min: 0, max: 2_000_000 }));

export interface EntryOptions {
  organizationId: string;
  logShards: number;
  time?: fc.Arbitrary<number>;
}

export function edgeCaseEntry({
  organizationId,
  logShards,
  time = edgeCaseTime,
}: EntryOptions): fc.Arbitrary<LogEntry> {
  const fields = fc.record({
    time,
    shard: fc.nat({ max: logShards - 1 }),
    model: fc.oneof({ weight: 9, arbitrary: model }, { weight: 1, arbitrary: fc.constant(null) }),
    provider: fc.option(provider, { freq: 12 }),
    service_tier: fc.option(serviceTier, { freq: 3 }),
    operation: fc.constantFrom('chat.completions', ...operations),
    outcome: fc.constantFrom('completed', ...outcomes, 'rejected'),
    error_code: fc.constantFrom(...errorCodes),
    refused_requests: fc.option(fc.integer({ min: 1, max: 50 })),
    status: fc.constantFrom(200, 400, 429, 502),
    latency_ms: milliseconds,
    overhead_ms: fc.option(fc.nat(20)),
    time_to_first_token_ms: fc.option(milliseconds, { freq: 2 }),
    pricing: fc.constantFrom(
      'table',
      'table',
      'configuration',
      'provider',
      'assumed',
      'assumed',
      'unknown',
      null,
    ),
    usage_source: fc.constantFrom('provider', 'provider', 'estimated', 'incomplete', 'missing'),
    cost_usd: cost,
    input_tokens: tokens,
    output_tokens: tokens,
    cached_input_tokens: tokens,
    cache_write_input_tokens: tokens,
    reasoning_tokens: tokens,
    prompt_id: value,
    session_id: value,
    user_id: value,
    routed: fc.oneof(
      { weight: 2, arbitrary: fc.constant({ route: null }) },
      {
        weight: 1,
        arbitrary: fc.record({ route: fc.constantFrom('a', '#', '1:a'), isSuperseded: fc.boolean() }),
      },
    ),
    api_key_id: fc.constantFrom('key_1', 'key_2', 'key_3'),
  });
  return fields.map(({ time: createdMs, shard, routed, ...rest }) =>
    logEntry({
      ...rest,
      route: routed.route,
      // Only requests that reached a provider have attempts.
      superseded_by:
        'isSuperseded' in routed && routed.isSuperseded && rest.outcome !== 'rejected'
          ? createLogId(createdMs, shard)
          : null,
      id: createLogId(createdMs, shard),
      organization_id: organizationId,
    } as Partial<LogEntry>),
  );
}

const timeZones = [
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'America/St_Johns',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
] as const;

/** Groups that combine with filters by value and have sums by minute. */
const rowGroups = ['model', 'provider', 'operation'] as const;

/** Usually `null`, so that combined filters still match entries. */
function sometimes<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

const anyBound = fc.oneof(edgeCaseTime, wholeTime);

export const edgeCaseParameters = edgeCaseParametersWithin({
  bounds: fc.tuple(anyBound, anyBound),
  timeZones,
});

export interface ParameterOptions {
  /** In any order. */
  bounds: fc.Arbitrary<[number, number]>;
  timeZones: readonly string[];
  presentMs?: number;
}

/** Either bound may be omitted, except in a series or a comparison, which may end at a known present only. */
export function edgeCaseParametersWithin(options: ParameterOptions): fc.Arbitrary<CostParameters> {
  return fc
    .record({
      bounds: options.bounds,
      isOpen: fc.tuple(fc.boolean(), fc.boolean()),
      model: sometimes(fc.oneof(model, fc.constantFrom('openai/gpt-4o', 'groq/模型', 'nobody'))),
      provider: sometimes(provider),
      service_tier: sometimes(fc.oneof(serviceTier, fc.constant('nobody'))),
      operation: sometimes(fc.constantFrom(...operations)),
      value: fc.oneof(
        { weight: 2, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record({ api_key_id: fc.constantFrom('key_1', 'key_2', 'nobody') }) },
        { weight: 1, arbitrary: fc.record({ prompt_id: fc.constantFrom(...values) }) },
        { weight: 1, arbitrary: fc.record({ session_id: fc.constantFrom(...values) }) },
        { weight: 1, arbitrary: fc.record({ user_id: fc.constantFrom(...values) }) },
        { weight: 1, arbitrary: fc.record({ route: fc.constantFrom('a', '#', 'nosuch') }) },
        {
          weight: 2,
          arbitrary: fc.record({
            error_code: fc.constantFrom(
              'rate_limit_exceeded',
              'provider:429',
              'provider:200',
              'overloaded_error',
            ),
          }),
        },
      ),
      group_by: fc.option(
        fc.constantFrom(...rowGroups, 'prompt_id', 'session_id', 'user_id', 'route', 'api_key', 'error_code'),
        { freq: 5 },
      ),
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
      interval: fc.option(fc.constantFrom('minute', 'hour', 'day', 'month'), { freq: 2 }),
      time_zone: fc.option(fc.constantFrom(...options.timeZones), { freq: 2 }),
      compare: fc.constantFrom('previous' as const, null),
      compared: fc.option(options.bounds, { freq: 2 }),
      isLocal: fc.tuple(fc.boolean(), fc.boolean(), fc.constantFrom('day', 'month')),
    })
    .map(({ bounds, isOpen, isLocal, compared, value: filter, ...parameters }) => {
      const { interval, compare, group_by } = parameters;
      const isFiltered = Object.keys(filter).length > 0;
      const isByRow = rowGroups.some((name) => name === group_by);
      const groupBy = isFiltered && !isByRow ? null : group_by;
      const isByHour = isFiltered || (groupBy !== null && !isByRow);
      const calendar = createCalendar(parameters.time_zone ?? 'UTC');
      const [one = 0, other = 0] = bounds.map((bound, index) =>
        isLocal[index] === true ? calendar.startOf(isLocal[2], bound) : bound,
      );
      const start = Math.min(one, other);
      const usedInterval = interval === 'minute' && isByHour ? 'hour' : interval;
      // A series has at most a thousand elements.
      const maxMs = { minute: 900 * 60_000, hour: 900 * hourMs, day: 900 * dayMs, month: 900 * dayMs };
      const maxEnd = usedInterval === null ? Number.POSITIVE_INFINITY : start + maxMs[usedInterval];
      const end = Math.min(Math.max(one, other), maxEnd);
      const needsStart = usedInterval !== null || compare !== null;
      const { presentMs = Number.NEGATIVE_INFINITY } = options;
      const needsEnd = needsStart && (start > presentMs || presentMs > maxEnd);
      const [comparedStart = null, comparedEnd = null] =
        compare === null ? (compared ?? []).toSorted((first, second) => first - second) : [];
      return {
        ...noParameters,
        ...parameters,
        ...filter,
        compare_start: comparedStart,
        compare_end: comparedEnd,
        group_by: groupBy,
        interval: usedInterval,
        limit: groupBy === null ? null : parameters.limit,
        start: isOpen[0] && !needsStart ? null : start,
        end: isOpen[1] && !needsEnd ? null : end,
      };
    });
}
