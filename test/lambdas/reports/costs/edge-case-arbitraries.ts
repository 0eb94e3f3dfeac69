/** fast-check arbitraries for entries and queries: times at and next to every period bound, values that look like keys. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { CostParameters } from './expected-costs.ts';

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
  .tuple(edgeCaseTime, fc.constantFrom(60_000, hourMs, dayMs))
  .map(([time, unit]) => Math.floor(time / unit) * unit);

const values = ['a', 'b', '#', '/', 'a#b', '1:a', '2026-01-31', '__proto__', 'é'.repeat(128), '😀', 'a '];
const value = fc.option(fc.constantFrom(...values));
const model = fc.constantFrom('gpt-4o', 'gpt-4o#mini', 'openai/gpt-4o', 'a/b/c', '模型', 'constructor');
const provider = fc.constantFrom('openai', 'openrouter', 'groq');
const serviceTier = fc.constantFrom('default', 'priority', 'a/b', '/', '1:a/', '#1', '模', '__proto__');
const cost = fc.oneof(
  fc.constantFrom('0', '0.1', '0.2', '0.000000000001', '12345678.900000000001'),
  fc
    .integer({ min: 1, max: 999_999_999 })
    .map((units) => `0.${String(units).padStart(12, '0')}`.replace(/0+$/, '')),
);
const tokens = fc.option(fc.integer({ min: 0, max: 2_000_000 }));

export interface EntryOptions {
  organizationId: string;
  logShards: number;
}

export function edgeCaseEntry({ organizationId, logShards }: EntryOptions): fc.Arbitrary<LogEntry> {
  const fields = fc.record({
    time: edgeCaseTime,
    shard: fc.nat({ max: logShards - 1 }),
    model: fc.oneof({ weight: 9, arbitrary: model }, { weight: 1, arbitrary: fc.constant(null) }),
    provider,
    service_tier: fc.option(serviceTier, { freq: 3 }),
    outcome: fc.constantFrom('completed', 'completed', 'client_closed', 'provider_error', 'rejected'),
    pricing: fc.constantFrom('table', 'table', 'provider', 'assumed', 'assumed', 'unknown', null),
    cost_usd: cost,
    input_tokens: tokens,
    output_tokens: tokens,
    prompt_id: value,
    session_id: value,
    user_id: value,
    api_key_id: fc.constantFrom('key_1', 'key_2', 'key_3'),
  });
  return fields.map(({ time, shard, ...rest }) =>
    logEntry({ ...rest, id: createLogId(time, shard), organization_id: organizationId } as Partial<LogEntry>),
  );
}

/** Either bound may be omitted, except in a series. */
export const edgeCaseParameters: fc.Arbitrary<CostParameters> = fc
  .record({
    bounds: fc.tuple(fc.oneof(edgeCaseTime, wholeTime), fc.oneof(edgeCaseTime, wholeTime)),
    isOpen: fc.tuple(fc.boolean(), fc.boolean()),
    model: fc.option(fc.oneof(model, fc.constantFrom('openai/gpt-4o', 'groq/模型', 'nobody')), { freq: 2 }),
    provider: fc.option(provider, { freq: 2 }),
    service_tier: fc.option(fc.oneof(serviceTier, fc.constant('nobody')), { freq: 2 }),
    group_by: fc.option(
      fc.constantFrom('model', 'provider', 'prompt_id', 'session_id', 'user_id', 'api_key'),
      { freq: 5 },
    ),
    limit: fc.option(fc.integer({ min: 1, max: 4 })),
    interval: fc.option(fc.constantFrom('hour', 'day'), { freq: 2 }),
  })
  .map(({ bounds, isOpen, ...parameters }) => {
    const start = Math.min(...bounds);
    // A series has at most a thousand elements.
    const end =
      parameters.interval === 'hour'
        ? Math.min(Math.max(...bounds), start + 900 * hourMs)
        : Math.max(...bounds);
    return {
      ...parameters,
      limit: parameters.group_by === null ? null : parameters.limit,
      start: isOpen[0] && parameters.interval === null ? null : start,
      end: isOpen[1] && parameters.interval === null ? null : end,
    };
  });
