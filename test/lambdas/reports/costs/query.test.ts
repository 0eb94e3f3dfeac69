import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { type CostQuery, parseCostQuery } from '#lambdas/reports/costs/query.ts';

const now = new Date('2026-02-10T12:34:56.789Z');

function parse(query: string, at = now): CostQuery {
  const raw: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) raw[name] = [...(raw[name] ?? []), value];
  return parseCostQuery(raw, at);
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
      windowInResponse: { isOpen: { start: true, end: true }, presentMs: null, roundedTo: null },
      filters: [{}],
      serviceTier: null,
      operation: null,
      valueFilter: null,
      groupBy: null,
      dimensions: { totals: 'totals', groups: 'totals', finestPeriod: 'minute' },
      selection: { order: 'cost_usd', isAscending: false, search: null, limit: 100 },
      timeZone: 'UTC',
      days: null,
      series: null,
      previous: null,
    });
  });

  it('parses a window, a model, a provider, a service tier, an operation, groups and a series', () => {
    const query =
      'start=2026-01-01T00:00:00.001Z&end=2026-01-02T00:00:00Z&model=openai/gpt-4o&provider=openai' +
      '&service_tier=priority&operation=embeddings&group_by=session_id&limit=1000&interval=hour';
    expect(parse(query)).toMatchObject({
      window: { startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 1), endMs: Date.UTC(2026, 0, 2) },
      windowInResponse: { isOpen: { start: false, end: false } },
      filters: [
        { model: 'openai/gpt-4o', provider: 'openai' },
        { model: 'gpt-4o', provider: 'openai' },
      ],
      serviceTier: 'priority',
      operation: 'embeddings',
      groupBy: 'session_id',
      dimensions: { totals: 'totals', groups: 'session_id', finestPeriod: 'hour' },
      selection: { limit: 1000 },
      series: { interval: 'hour' },
    });
  });

  it('marks omitted bounds as open', () => {
    expect(parse('start=1970-01-01T00:00:00Z').windowInResponse.isOpen).toEqual({ start: false, end: true });
    expect(parse('end=9999-12-31T00:00:00Z').windowInResponse.isOpen).toEqual({ start: true, end: false });
  });

  it.each(['model', 'provider', 'operation'] as const)(
    'reads the rows of the totals for groups by %s',
    (groupBy) => {
      expect(parse(`group_by=${groupBy}&start=2026-02-10T00:00:00Z&interval=minute`).dimensions).toEqual({
        totals: 'totals',
        groups: 'totals',
        finestPeriod: 'minute',
      });
    },
  );

  it('accepts an empty series', () => {
    const endMs = Date.parse('2026-02-10T13:00:00Z');
    expect(parse('start=2026-02-10T13:00:00Z&interval=hour').window).toEqual({ startMs: endMs, endMs });
  });

  it.each([
    ['start=2026-01-01T00:30:00Z&end=2026-02-11T15:30:00Z&interval=hour', 1000],
    ['start=2026-01-01T23:59:59.999Z&end=2028-09-26T00:00:00.001Z&interval=day', 1000],
  ])('accepts %s with a thousand elements, and rejects a longer series', (query, elements) => {
    expect(parse(query).series).not.toBeNull();
    const oneMore = query.replace('start=2026-01-01', 'start=2025-12-31');
    expect(errorOf(oneMore)[1]).toContain(
      `makes a series of ${elements + (query.endsWith('hour') ? 24 : 1)} `,
    );
  });

  it.each([
    [
      'colour=red',
      'colour',
      'Unknown query parameter colour: valid parameters are start, end, interval, time_zone, compare, compare_start, compare_end, group_by, limit, order_by, order, search, model, provider, service_tier, operation, api_key_id, prompt_id, session_id, user_id, route, error_code',
    ],
    [
      'offset=1',
      'offset',
      'Unknown query parameter offset: valid parameters are start, end, interval, time_zone, compare, compare_start, compare_end, group_by, limit, order_by, order, search, model, provider, service_tier, operation, api_key_id, prompt_id, session_id, user_id, route, error_code',
    ],
    ['start=', 'start', 'start must not be empty'],
    ['model=', 'model', 'model must not be empty'],
    ['service_tier=', 'service_tier', 'service_tier must not be empty'],
    [
      `service_tier=${'t'.repeat(257)}`,
      'service_tier',
      'service_tier must be well-formed text of at most 256 bytes',
    ],
    ['operation=', 'operation', 'operation must not be empty'],
    [
      'operation=chat',
      'operation',
      'operation must be one of chat.completions, embeddings, messages, responses',
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
      'group_by must be one of model, provider, operation, prompt_id, session_id, user_id, route, api_key, error_code',
    ],
    [
      'group_by=api_key_id',
      'group_by',
      'group_by must be one of model, provider, operation, prompt_id, session_id, user_id, route, api_key, error_code',
    ],
    [
      'group_by=__proto__',
      'group_by',
      'group_by must be one of model, provider, operation, prompt_id, session_id, user_id, route, api_key, error_code',
    ],
    [
      'start=2026-02-01T00:00:00Z&interval=week',
      'interval',
      'interval must be one of minute, hour, day, month',
    ],
    [
      'start=2026-02-10T00:00:00Z&interval=minute&group_by=user_id',
      'interval',
      'interval=minute cannot be combined with group_by=user_id: use interval=hour',
    ],
    [
      'start=2026-02-10T00:00:00Z&interval=minute&group_by=model&error_code=x',
      'interval',
      'interval=minute cannot be combined with error_code: use interval=hour',
    ],
    [
      'prompt_id=p&api_key_id=k',
      'prompt_id',
      'prompt_id cannot be combined with api_key_id: remove one of them',
    ],
    [
      'user_id=u&group_by=api_key',
      'group_by',
      'group_by=api_key cannot be combined with user_id: group by model, provider or operation, or remove user_id',
    ],
    [
      `session_id=${'s'.repeat(257)}`,
      'session_id',
      'session_id must be well-formed text of at most 256 bytes',
    ],
    ['time_zone=+02:00', 'time_zone', 'time_zone must be an IANA time zone, such as Europe/Berlin'],
    ['time_zone=Mars/Base', 'time_zone', 'time_zone must be an IANA time zone, such as Europe/Berlin'],
    ['start=2026-02-01T00:00:00Z&compare=next', 'compare', 'compare must be one of previous'],
    [
      'compare=previous',
      'compare',
      'compare requires start: set start, since the range before it is the comparison',
    ],
    [
      'start=2026-02-12T00:00:00Z&compare=previous',
      'start',
      'start must not be in the future when end is omitted: choose an earlier start, or set end',
    ],
    [
      'start=2026-02-01T00:00:00Z&compare=previous&compare_start=2026-01-01T00:00:00Z',
      'compare',
      'compare cannot be combined with compare_start: remove one of them',
    ],
    ['compare_start=2026-01-01T00:00:00Z', 'compare_start', 'compare_start requires compare_end: set both'],
    ['compare_end=2026-01-01T00:00:00Z', 'compare_end', 'compare_end requires compare_start: set both'],
    ['compare_start=now&compare_end=2026-01-01T00:00:00Z', 'compare_start', `compare_start ${timestampHint}`],
    [
      'compare_start=2026-01-01T00:00:00.001Z&compare_end=2026-01-01T00:00:00Z',
      'compare_start',
      'compare_start must not be after compare_end',
    ],
    ['order=asc', 'order', 'order requires group_by: add group_by, or omit order'],
    ['search=a', 'search', 'search requires group_by: add group_by, or omit search'],
    [
      'group_by=user_id&order_by=latency_p95',
      'order_by',
      'order_by=latency_p95 cannot be combined with group_by=user_id: these groups have no such figure',
    ],
    [
      'group_by=model&error_code=timeout&order_by=time_to_first_token_p50',
      'order_by',
      'order_by=time_to_first_token_p50 cannot be combined with error_code: these groups have no such figure',
    ],
    [
      'group_by=model&order_by=rejected_requests',
      'order_by',
      'order_by=rejected_requests cannot be combined with group_by=model: these groups have no such figure',
    ],
    [
      'group_by=api_key&service_tier=default&order_by=rejected_requests',
      'order_by',
      'order_by=rejected_requests cannot be combined with service_tier: these groups have no such figure',
    ],
    ['interval=day', 'interval', 'interval requires start: set start to the time of the first element'],
    [
      'end=2026-02-01T00:00:00Z&interval=day',
      'interval',
      'interval requires start: set start to the time of the first element',
    ],
    [
      'start=2026-02-12T00:00:00Z&interval=day',
      'start',
      'start must not be in the future when end is omitted: choose an earlier start, or set end',
    ],
    [
      'start=2020-01-01T00:00:00Z&interval=day',
      'interval',
      'interval=day makes a series of 2233 elements (at most 1000 are allowed): use interval=month, or choose a shorter window',
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

  it.each(['api_key_id', 'prompt_id', 'session_id', 'user_id', 'route', 'error_code'] as const)(
    'selects the dimension of the filter %s, for totals and groups',
    (parameter) => {
      const dimension = parameter === 'api_key_id' ? 'api_key' : parameter;
      expect(parse(`${parameter}=x&group_by=model`)).toMatchObject({
        valueFilter: { parameter, value: 'x' },
        groupBy: 'model',
        dimensions: { totals: dimension, groups: dimension, finestPeriod: 'hour' },
      });
    },
  );

  it.each([
    ['minute', 'UTC', '2026-02-10T12:35:00Z'],
    ['hour', 'Europe/Berlin', '2026-02-10T13:00:00Z'],
    ['day', 'Europe/Berlin', '2026-02-10T23:00:00Z'],
    ['day', 'Asia/Kolkata', '2026-02-10T18:30:00Z'],
    ['month', 'America/Los_Angeles', '2026-03-01T08:00:00Z'],
  ])('ends a series by %s in %s at the end of its current element', (interval, timeZone, end) => {
    const query = `start=2026-02-10T12:00:00Z&interval=${interval}&time_zone=${timeZone}`;
    expect(parse(query)).toMatchObject({
      window: { endMs: Date.parse(end) },
      windowInResponse: { isOpen: { start: false, end: false } },
    });
  });

  it.each([
    ['prompt_id=p', 'day', 'hour', '2026-02-01T18:00:00Z', '2026-02-10T18:00:00Z'],
    ['group_by=error_code', 'day', 'hour', '2026-02-01T18:00:00Z', '2026-02-10T18:00:00Z'],
    ['group_by=model', 'day', null, '2026-02-01T18:30:00Z', '2026-02-10T18:30:00Z'],
    ['prompt_id=p', 'hour', null, '2026-02-01T18:30:00Z', '2026-02-10T13:00:00Z'],
  ])(
    'lets days with half an hour begin at a full hour where there are no minutes: %s by %s',
    (fields, interval, roundedTo, start, end) => {
      const query = `start=2026-02-01T18:30:00Z&time_zone=Asia/Kolkata&interval=${interval}&${fields}`;
      expect(parse(query)).toMatchObject({
        windowInResponse: { roundedTo },
        window: { startMs: Date.parse(start), endMs: Date.parse(end) },
      });
    },
  );

  it('includes the present in the last day without an end, between the full hour and local midnight', () => {
    const query = 'start=2026-02-01T18:30:00Z&time_zone=Asia/Kolkata&interval=day';
    const at = new Date('2026-02-10T18:10:00Z');
    expect(parse(query, at).window.endMs).toBe(Date.parse('2026-02-10T18:30:00Z'));
    expect(parse(`${query}&user_id=u`, at).window.endMs).toBe(Date.parse('2026-02-11T18:00:00Z'));
  });

  it('ends a window no earlier than it starts if both bounds are in the hour of the local midnight at its end', () => {
    const query =
      'start=2026-02-01T18:10:00Z&end=2026-02-01T18:30:00Z&time_zone=Asia/Kolkata&interval=day&user_id=u';
    const startMs = Date.parse('2026-02-01T18:10:00Z');
    const window = { startMs, endMs: startMs };
    expect(parse(query).window).toEqual(window);
    expect(parse(`${query}&compare=previous`)).toMatchObject({ window, previous: window });
  });

  it('does not round a bound that is not a local midnight', () => {
    const query = 'start=2026-02-01T18:31:00Z&time_zone=Asia/Kolkata&interval=day&user_id=u';
    expect(parse(query)).toMatchObject({
      windowInResponse: { roundedTo: 'hour' },
      window: { startMs: Date.parse('2026-02-01T18:31:00Z') },
    });
  });
});

describe('compare_start and compare_end', () => {
  const bounds = 'compare_start=2025-12-01T00:00:00Z&compare_end=2026-01-01T00:00:00Z';
  const range = { startMs: Date.UTC(2025, 11), endMs: Date.UTC(2026, 0), parameter: 'compare_start' };

  it('compares with any range, whatever the window', () => {
    for (const query of ['', 'start=2020-01-01T00:00:00Z', 'start=2026-02-01T00:00:00Z&interval=day'])
      expect(parse(`${query}&${bounds}`).previous).toMatchObject(range);
  });

  it('counts the days of up to 93', () => {
    const daysOf = (end: string) =>
      parse(`compare_start=2025-10-01T00:00:00Z&compare_end=${end}`).previous?.days !== null;
    expect([daysOf('2026-01-02T00:00:00Z'), daysOf('2026-01-02T00:00:00.001Z')]).toEqual([true, false]);
  });

  it('rounds bounds at a local midnight like those of the window', () => {
    const query =
      'start=2026-02-09T18:30:00Z&end=2026-02-10T18:30:00Z&time_zone=Asia/Kolkata&interval=day&user_id=u';
    const at = (text: string) => Date.parse(`2026-02-01T${text}Z`);
    const previousOf = (start: string) =>
      parse(`${query}&compare_start=2026-02-01T${start}Z&compare_end=2026-02-01T18:30:00Z`).previous;
    expect(previousOf('10:00:00')).toMatchObject({ startMs: at('10:00:00'), endMs: at('18:00:00') });
    expect(previousOf('18:10:00')).toMatchObject({ startMs: at('18:10:00'), endMs: at('18:10:00') });
  });
});

describe('compare=previous', () => {
  const previousOf = (query: string) => {
    const { previous, window, windowInResponse } = parse(`${query}&compare=previous`);
    const iso = (ms: number | undefined | null) => (ms == null ? null : new Date(ms).toISOString());
    return [iso(previous?.startMs), iso(previous?.endMs), iso(window.endMs), iso(windowInResponse.presentMs)];
  };

  it.each([
    // A time of the same length.
    ['start=2026-02-10T12:00:00Z&end=2026-02-10T12:00:01Z', '2026-02-10T11:59:59.000Z'],
    ['start=2026-02-10T12:00:00Z&end=2026-02-10T12:00:00Z', '2026-02-10T12:00:00.000Z'],
    ['start=1970-01-02T12:00:00Z&end=1980-02-10T12:00:00Z', '1970-01-01T00:00:00.000Z'],
    // As many months or days.
    ['start=2026-03-01T00:00:00Z&end=2026-04-01T00:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['start=2026-03-01T00:00:00Z&end=2026-05-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['start=2026-03-02T00:00:00Z&end=2026-04-01T00:00:00Z', '2026-01-31T00:00:00.000Z'],
    // Clocks are set forward in Berlin on 29 March: that week has 167 hours.
    [
      'start=2026-03-29T22:00:00Z&end=2026-04-05T22:00:00Z&time_zone=Europe/Berlin',
      '2026-03-22T23:00:00.000Z',
    ],
    ['start=2026-03-29T22:00:00Z&end=2026-04-05T22:00:00Z', '2026-03-22T22:00:00.000Z'],
    [
      'start=2026-03-31T22:00:00Z&end=2026-04-30T22:00:00Z&time_zone=Europe/Berlin',
      '2026-02-28T23:00:00.000Z',
    ],
  ])('returns the range before %s', (query, previousStart) => {
    const [, start = '', , end = ''] = /start=([^&]+)(&end=([^&]+))/.exec(query) ?? [];
    expect(previousOf(query)).toEqual([
      previousStart,
      new Date(start).toISOString(),
      new Date(end).toISOString(),
      null,
    ]);
  });

  it('compares as much time where days begin at the full hour', () => {
    const query = 'start=2026-02-09T18:30:00Z&time_zone=Asia/Kolkata&interval=day&user_id=u&compare=previous';
    const at = (text: string) => Date.parse(`2026-02-09T${text}Z`);
    const { window, previous } = parse(query, new Date(at('18:40:00')));
    expect(window.startMs).toBe(at('18:00:00'));
    expect(previous).toMatchObject({ startMs: at('17:20:00'), endMs: at('18:00:00') });
    const days = parse(`${query}&end=2026-02-10T18:30:00Z`);
    expect(days.previous).toMatchObject({
      startMs: Date.parse('2026-02-08T18:00:00Z'),
      endMs: at('18:00:00'),
    });
    const cut = parse(`${query}&end=2026-02-09T19:00:00Z`);
    expect(cut.previous).toMatchObject({ startMs: at('17:00:00'), endMs: at('18:00:00') });
  });

  it('ends the window at the present without an end, compares it with as much time before, and reads the running minute or hour as a whole', () => {
    const start = 'start=2026-02-10T12:00:00Z';
    const previous = ['2026-02-10T11:25:03.211Z', '2026-02-10T12:00:00.000Z'];
    const presentMs = '2026-02-10T12:34:56.789Z';
    expect(previousOf(start)).toEqual([...previous, '2026-02-10T12:35:00.000Z', presentMs]);
    expect(previousOf(`${start}&interval=day`)).toEqual([...previous, '2026-02-10T12:35:00.000Z', presentMs]);
    expect(previousOf(`${start}&user_id=u`)).toEqual([...previous, '2026-02-10T13:00:00.000Z', presentMs]);
  });
});
