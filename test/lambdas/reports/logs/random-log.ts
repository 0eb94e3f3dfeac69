/** Generates random logs and queries for pagination tests, and computes the expected results. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { fc } from '#test/support/fast-check.ts';

export const startMs = Date.UTC(2026, 0, 31, 9, 30);
/** Entries are created within this time; the request follows. */
const spanMs = 8;
export const requestMs = startMs + spanMs;

const orNull = <Value extends string>(...values: Value[]) => fc.constantFrom<Value | null>(...values, null);

const entryFields = fc.record({
  atMs: fc.integer({ min: 0, max: spanMs - 1 }),
  shardSeed: fc.nat(),
  expired: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  model: fc.constantFrom('m', 'm', 'x/m', 'n', null),
  provider: fc.constantFrom('x', 'x', 'y', null),
  prompt_id: orNull('p', 'q'),
  session_id: orNull('s', 't'),
  user_id: orNull('u', 'v'),
  status: fc.constantFrom(200, 200, 200, 429),
  service_tier: orNull('flex', 'priority'),
  operation: fc.constantFrom('chat.completions', ...operations),
});

/** Set in a quarter of all cases, so that most scenarios match many entries. */
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const bound = fc.integer({ min: -1, max: spanMs }).map((offset) => new Date(startMs + offset).toISOString());

const conditions = fc
  .record({
    model: optional(fc.constantFrom('m', 'm', 'x/m', 'none')),
    provider: optional(fc.constantFrom('x', 'x', 'y')),
    prompt_id: optional(fc.constant('p')),
    session_id: optional(fc.constant('s')),
    user_id: optional(fc.constant('u')),
    status: optional(fc.constantFrom('200', '429')),
    service_tier: optional(fc.constant('flex')),
    operation: optional(fc.constantFrom('chat.completions', 'embeddings')),
    start: optional(bound),
    end: optional(bound),
  })
  .map(({ start = '', end = '~', ...others }) => ({
    ...others,
    // A window that ends before it starts is rejected, which other tests cover.
    start: start === '' || start > end ? undefined : start,
    end: end === '~' ? undefined : end,
  }));

export const scenarios = fc.record({
  entries: fc.array(entryFields, { maxLength: 50, size: 'max' }),
  shards: fc.integer({ min: 1, max: 5 }),
  conditions,
  limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  maxScanned: fc.integer({ min: 1, max: 40 }),
  addShardsBeforePage: fc.integer({ min: 1, max: 4 }),
  laterShards: fc.integer({ min: 1, max: 6 }),
  newerBeforePage: fc.integer({ min: 1, max: 3 }),
  newer: fc.array(entryFields, { maxLength: 4 }),
  lateBeforePage: fc.integer({ min: 1, max: 3 }),
  /** Entries older than the request, but written during the pagination. */
  late: fc.array(entryFields, { maxLength: 3 }),
});

export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;
export type EntryFields = Scenario['entries'][number];
export type Conditions = Partial<Scenario['conditions']>;

/** Applies the conditions with a simpler implementation than the one under test. */
export function expectedEntries(entries: LogEntry[], applied: Conditions): LogEntry[] {
  const { model, provider, start = '', end = '~', status, ...texts } = applied;
  const matchesModel = (entry: LogEntry) =>
    model === undefined || entry.model === model || `${entry.provider}/${entry.model}` === model;
  return entries
    .filter(matchesModel)
    .filter((entry) => provider === undefined || entry.provider === provider)
    .filter((entry) => status === undefined || String(entry.status) === status)
    .filter((entry) => entry.created_at >= start && entry.created_at < end)
    .filter((entry) =>
      Object.entries(texts).every(
        ([name, value]) => value === undefined || entry[name as keyof typeof texts] === value,
      ),
    )
    .toSorted((left, right) => (left.id < right.id ? 1 : -1));
}
