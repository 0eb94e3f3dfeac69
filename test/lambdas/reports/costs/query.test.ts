import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { type CostQuery, parseCostQuery } from '#lambdas/reports/costs/query.ts';

const now = new Date('2026-02-10T12:34:56.789Z');

function parse(query: string): CostQuery {
  const raw: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) raw[name] = [...(raw[name] ?? []), value];
  return parseCostQuery(raw, now);
}

function errorOf(query: string): [string | null, string] {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof GatewayError) return [error.param, error.message];
    throw error;
  }
  throw new Error(`${query} was accepted`);
}

const timestampHint = 'must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z';

describe('parseCostQuery', () => {
  it('returns all time without filters, groups and series by default', () => {
    expect(parse('')).toEqual({
      window: allTime,
      isOpen: { start: true, end: true },
      filters: [{}],
      serviceTier: null,
      groupBy: null,
      limit: 100,
      interval: null,
    });
  });

  it('parses a window, a model, a provider, a service tier, groups and a series', () => {
    const query =
      'start=2026-01-01T00:00:00.001Z&end=2026-01-02T00:00:00Z&model=openai/gpt-4o&provider=openai' +
      '&service_tier=priority&group_by=session_id&limit=1000&interval=hour';
    expect(parse(query)).toEqual({
      window: { startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 1), endMs: Date.UTC(2026, 0, 2) },
      isOpen: { start: false, end: false },
      filters: [
        { model: 'openai/gpt-4o', provider: 'openai' },
        { model: 'gpt-4o', provider: 'openai' },
      ],
      serviceTier: 'priority',
      groupBy: 'session_id',
      limit: 1000,
      interval: 'hour',
    });
  });

  it('marks omitted bounds as open', () => {
    expect(parse('start=1970-01-01T00:00:00Z').isOpen).toEqual({ start: false, end: true });
    expect(parse('end=9999-12-31T00:00:00Z').isOpen).toEqual({ start: true, end: false });
  });

  it.each(['model', 'provider', 'prompt_id', 'session_id', 'user_id', 'api_key'] as const)(
    'groups by %s',
    (groupBy) => {
      expect(parse(`group_by=${groupBy}`)).toMatchObject({ groupBy, limit: 100 });
    },
  );

  it.each([
    ['hour', '2026-02-10T13:00:00Z'],
    ['day', '2026-02-11T00:00:00Z'],
  ])('ends a series without an end parameter at the end of the current %s', (interval, end) => {
    const { window, isOpen } = parse(`start=2026-02-01T00:00:00Z&interval=${interval}`);
    expect(window.endMs).toBe(Date.parse(end));
    expect(isOpen).toEqual({ start: false, end: false });
  });

  it('accepts an empty series', () => {
    const endMs = Date.parse('2026-02-10T13:00:00Z');
    expect(parse('start=2026-02-10T13:00:00Z&interval=hour').window).toEqual({ startMs: endMs, endMs });
  });

  it.each([
    ['start=2026-01-01T00:30:00Z&end=2026-02-11T15:30:00Z&interval=hour', 1000],
    ['start=2026-01-01T23:59:59.999Z&end=2028-09-26T00:00:00.001Z&interval=day', 1000],
  ])('accepts %s with a thousand elements, and rejects a longer series', (query, elements) => {
    expect(parse(query).interval).not.toBeNull();
    const oneMore = query.replace('start=2026-01-01', 'start=2025-12-31');
    expect(errorOf(oneMore)[1]).toContain(
      `makes a series of ${elements + (query.endsWith('hour') ? 24 : 1)} `,
    );
  });

  it.each([
    [
      'colour=red',
      'colour',
      'Unknown query parameter colour: valid parameters are start, end, model, provider, service_tier, group_by, interval, limit',
    ],
    [
      'offset=1',
      'offset',
      'Unknown query parameter offset: valid parameters are start, end, model, provider, service_tier, group_by, interval, limit',
    ],
    ['start=', 'start', 'start must not be empty'],
    ['model=', 'model', 'model must not be empty'],
    ['service_tier=', 'service_tier', 'service_tier must not be empty'],
    [
      `service_tier=${'t'.repeat(257)}`,
      'service_tier',
      'service_tier must be well-formed text of at most 256 bytes',
    ],
    ['group_by=', 'group_by', 'group_by must not be empty'],
    ['end=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00Z', 'end', 'end must be given once'],
    ['group_by=model&group_by=model', 'group_by', 'group_by must be given once'],
    ['start=x', 'start', `start ${timestampHint}`],
    ['end=2026-01-31', 'end', `end ${timestampHint}`],
    ['start=2026-02-30T00:00:00Z', 'start', `start ${timestampHint}`],
    ['start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z', 'start', 'start must not be after end'],
    [
      'group_by=colour',
      'group_by',
      'group_by must be one of model, provider, prompt_id, session_id, user_id, api_key',
    ],
    [
      'group_by=api_key_id',
      'group_by',
      'group_by must be one of model, provider, prompt_id, session_id, user_id, api_key',
    ],
    [
      'group_by=__proto__',
      'group_by',
      'group_by must be one of model, provider, prompt_id, session_id, user_id, api_key',
    ],
    ['start=2026-02-01T00:00:00Z&interval=minute', 'interval', 'interval must be one of hour, day'],
    ['interval=day', 'interval', 'interval requires start: set start to the time of the first element'],
    [
      'end=2026-02-01T00:00:00Z&interval=day',
      'interval',
      'interval requires start: set start to the time of the first element',
    ],
    [
      'start=2026-02-12T00:00:00Z&interval=day',
      'start',
      'start must not be in the future when end is omitted',
    ],
    [
      'start=2020-01-01T00:00:00Z&interval=day',
      'interval',
      'interval=day makes a series of 2233 elements (at most 1000 are allowed): choose a shorter window',
    ],
    [
      'start=2026-01-01T00:00:00Z&end=2026-03-01T00:00:00Z&interval=hour',
      'interval',
      'interval=hour makes a series of 1416 elements (at most 1000 are allowed): use interval=day, or choose a shorter window',
    ],
    ['limit=10', 'limit', 'limit requires group_by: add group_by, or omit limit'],
    ['group_by=model&limit=0', 'limit', 'limit must be a whole number from 1 to 1000'],
    ['group_by=model&limit=1001', 'limit', 'limit must be a whole number from 1 to 1000'],
    ['group_by=model&limit=1.5', 'limit', 'limit must be a whole number from 1 to 1000'],
    ['group_by=model&limit=-1', 'limit', 'limit must be a whole number from 1 to 1000'],
    ['group_by=model&limit=ten', 'limit', 'limit must be a whole number from 1 to 1000'],
  ])('rejects %s with an error that names %s and the remedy', (query, param, message) => {
    expect(errorOf(query)).toEqual([param, message]);
  });
});
