import { describe, expect, it } from 'vitest';
import { allTime } from '#lambdas/platform/time-window.ts';
import { readCursor, writeCursor } from '#lambdas/reports/logs/cursor.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';

type Parameters = Record<string, string | string[]>;

const parse = (parameters: Parameters, organization = 'org_1') =>
  parseLogQuery(
    organization,
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value].flat()])),
  );

const after = '019c1159-7009-7771-86ff-83e9ba0c0d00';
const contextOf = (parameters: Parameters, organization?: string) => ({
  scope: parse(parameters, organization).scope,
  key: 'a2V5',
});
const cursorOf = (parameters: Parameters, organization?: string) =>
  writeCursor({ after, toSkip: 7 }, contextOf(parameters, organization));

describe('parseLogQuery', () => {
  it('uses defaults for missing parameters', () => {
    expect(parse({})).toMatchObject({
      organizationId: 'org_1',
      window: allTime,
      filters: [{}],
      limit: 100,
      offset: 0,
      cursor: undefined,
    });
  });

  it('combines all conditions, with both interpretations of a model with a slash', () => {
    const others = {
      prompt_id: 'p',
      session_id: 's',
      user_id: 'u é',
      service_tier: 'flex',
      api_key_id: 'key_1',
      outcome: 'timeout',
      error_code: 'a code',
      operation: 'messages',
      finish_reason: 'length',
      response_id: 'resp_1',
      provider_request_id: 'req_1',
    };
    const query = parse({ ...others, status: '429', model: 'openai/gpt-4o', start: '2026-01-31T09:30:00Z' });
    expect(query.filters).toEqual([
      { ...others, status: 429, model: 'openai/gpt-4o' },
      { ...others, status: 429, model: 'gpt-4o', provider: 'openai' },
    ]);
    expect(query.window).toEqual({ startMs: Date.UTC(2026, 0, 31, 9, 30), endMs: allTime.endMs });
  });

  it('has no alternative for an outcome that no entry has', () => {
    expect(parse({ outcome: 'Timeout', model: 'openai/gpt-4o' }).filters).toEqual([]);
  });

  it('accepts the maximum offset and limit', () => {
    expect(parse({ offset: '10000', limit: '1000' })).toMatchObject({ limit: 1000, offset: 10_000 });
  });

  it('reads ranges as exact decimals, and leaves out the outcomes that they do not have', () => {
    expect(parse({ min_cost_usd: '00.2500', max_cost_usd: '0.300000000001' }).bounds).toEqual({
      ranges: [{ field: 'cost_usd', min: '0.25', max: '0.300000000001' }],
      excludedOutcomes: ['rejected'],
    });
    expect(parse({ max_latency_ms: '5000', min_retries: '1' }).bounds).toEqual({
      ranges: [
        { field: 'latency_ms', min: '0', max: '5000' },
        { field: 'retries', min: '1', max: null },
      ],
      excludedOutcomes: ['rejected', 'interrupted'],
    });
    expect(parse({ max_latency_ms: '5000', outcome: 'rejected' }).bounds.excludedOutcomes).toEqual([]);
  });

  it('limits a list that is sorted by a field to entries that have it', () => {
    expect(parse({}).order).toEqual({ sort: 'created_at', direction: 'desc' });
    expect(parse({ sort: 'time_to_first_token_ms', order: 'asc' })).toMatchObject({
      order: { sort: 'time_to_first_token_ms', direction: 'asc' },
      bounds: {
        ranges: [{ field: 'time_to_first_token_ms', min: '0', max: null }],
        excludedOutcomes: ['rejected', 'interrupted'],
      },
    });
    expect(parse({ sort: 'cost_usd', min_cost_usd: '1' }).bounds.ranges).toEqual([
      { field: 'cost_usd', min: '1', max: null },
    ]);
  });

  const badText = (name: string) => `${name} must be well-formed text of at most 256 bytes`;
  const badLimit = 'limit must be a whole number from 1 to 1000; use next_cursor to get the next page';
  const badOffset = 'offset must be a whole number from 0 to 10000; use next_cursor to go further';
  const badOperation = 'operation must be one of chat.completions, embeddings, messages, responses';
  const badStatus = 'status must be a whole number from 100 to 599';
  it.each<[Parameters, string, string]>([
    [{ limit: '0' }, 'limit', badLimit],
    [{ limit: '1001' }, 'limit', badLimit],
    [{ limit: '1e2' }, 'limit', badLimit],
    [{ limit: '10.0' }, 'limit', badLimit],
    [{ limit: ' 5' }, 'limit', badLimit],
    [{ limit: '' }, 'limit', 'limit must not be empty'],
    [{ limit: ['1', '2'] }, 'limit', 'limit must be given once'],
    [{ limit: ['1', '1'] }, 'limit', 'limit must be given once'],
    [{ offset: '-1' }, 'offset', badOffset],
    [{ offset: '10001' }, 'offset', badOffset],
    [{ offset: '99999999999999999999' }, 'offset', badOffset],
    [{ status: '99' }, 'status', badStatus],
    [{ status: '600' }, 'status', badStatus],
    [{ status: '2xx' }, 'status', badStatus],
    [{ status: '' }, 'status', 'status must not be empty'],
    [{ model: '' }, 'model', 'model must not be empty'],
    [{ user_id: ['a', 'b'] }, 'user_id', 'user_id must be given once'],
    [{ session_id: 's'.repeat(257) }, 'session_id', badText('session_id')],
    [{ prompt_id: 'é'.repeat(129) }, 'prompt_id', badText('prompt_id')],
    [{ model: 'm'.repeat(3000) }, 'model', badText('model')],
    [{ service_tier: 't'.repeat(257) }, 'service_tier', badText('service_tier')],
    [{ service_tier: '\udfff' }, 'service_tier', badText('service_tier')],
    [{ service_tier: '' }, 'service_tier', 'service_tier must not be empty'],
    [{ operation: 'embedding' }, 'operation', badOperation],
    [{ operation: 'Embeddings' }, 'operation', badOperation],
    [{ operation: '' }, 'operation', 'operation must not be empty'],
    [{ operation: ['messages', 'messages'] }, 'operation', 'operation must be given once'],
    [{ provider: '\ud800' }, 'provider', badText('provider')],
    [{ api_key_id: 'k'.repeat(257) }, 'api_key_id', badText('api_key_id')],
    [{ outcome: '\udfff' }, 'outcome', badText('outcome')],
    [{ outcome: '' }, 'outcome', 'outcome must not be empty'],
    [{ error_code: ['a', 'b'] }, 'error_code', 'error_code must be given once'],
    [
      { modle: 'x' },
      'modle',
      'Unknown query parameter modle: valid parameters are start, end, model, provider, service_tier, prompt_id, session_id, user_id, route, api_key_id, outcome, error_code, finish_reason, response_id, provider_request_id, operation, status, min_cost_usd, max_cost_usd, min_latency_ms, max_latency_ms, min_time_to_first_token_ms, max_time_to_first_token_ms, min_total_tokens, max_total_tokens, min_retries, max_retries, sort, order, limit, offset, cursor',
    ],
    ...['-1', '1e-3', '.5', '1.', '0.0000000000001', '1000000000', 'NaN'].map(
      (amount): [Parameters, string, string] => [
        { max_cost_usd: amount },
        'max_cost_usd',
        'max_cost_usd must be an amount in US dollars, such as 0.25, with at most 9 digits before the decimal point and 12 after it',
      ],
    ),
    [
      { min_latency_ms: '1.5' },
      'min_latency_ms',
      'min_latency_ms must be a whole number from 0 to 1000000000000',
    ],
    [
      { min_total_tokens: '11', max_total_tokens: '10' },
      'min_total_tokens',
      'min_total_tokens must not be above max_total_tokens: lower it or raise max_total_tokens',
    ],
    [
      { sort: 'cost' },
      'sort',
      'sort must be one of created_at, cost_usd, latency_ms, time_to_first_token_ms, total_tokens, retries',
    ],
    [{ order: 'up' }, 'order', 'order must be one of desc, asc'],
    ...(['cursor', 'offset'] as const).map((name): [Parameters, string, string] => [
      { sort: 'retries', [name]: '1' },
      name,
      `${name} cannot be combined with sort=retries, whose list has one page: remove ${name}, and narrow the conditions to see other entries`,
    ]),
    [{ start: 'now' }, 'start', 'start must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
    [{ end: '2026-01-31' }, 'end', 'end must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
    [{ start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' }, 'start', 'start must not be after end'],
    [
      { cursor: 'x', offset: '0' },
      'offset',
      'offset cannot be combined with cursor: remove offset, since the cursor already marks the position',
    ],
  ])('returns 400 for %j', (parameters, param, message) => {
    expect(() => parse(parameters)).toThrow(
      expect.objectContaining({ code: 'invalid_request_error', status: 400, param, message }),
    );
  });

  it('accepts a value of 256 bytes', () => {
    expect(parse({ user_id: 'é'.repeat(128) }).filters).toEqual([{ user_id: 'é'.repeat(128) }]);
  });
});

describe('Cursors of a query', () => {
  const conditions = {
    start: '2026-01-31T09:30:00Z',
    end: '2026-02-28T09:30:00Z',
    model: 'gpt-4o',
    provider: 'openai',
    prompt_id: 'p',
    session_id: 's',
    user_id: 'u',
    service_tier: 'flex',
    api_key_id: 'key_1',
    outcome: 'timeout',
    error_code: 'provider_timeout',
    finish_reason: 'stop',
    response_id: 'resp_1',
    provider_request_id: 'req_1',
    operation: 'embeddings',
    status: '200',
    min_cost_usd: '0.1',
    max_retries: '1',
    order: 'asc',
  };
  const invalidCursor = expect.objectContaining({ status: 400, param: 'cursor' });

  const read = (parameters: Parameters, cursor: string) => readCursor(cursor, contextOf(parameters));

  it('accepts a cursor with another limit', () => {
    const cursor = cursorOf({ ...conditions, limit: '5' });
    expect(parse({ ...conditions, limit: '50', cursor })).toMatchObject({ limit: 50, offset: 0, cursor });
    expect(read({ ...conditions, limit: '50', cursor }, cursor)).toEqual({ after, toSkip: 7 });
  });

  it('accepts a cursor with equal conditions in another notation', () => {
    const start = '2026-01-31T10:30:00.000+01:00';
    expect(
      read({ ...conditions, start, status: '0200', min_cost_usd: '00.10' }, cursorOf(conditions)).after,
    ).toBe(after);
  });

  it.each(Object.keys(conditions))('rejects a cursor when %s is different or missing', (name) => {
    const cursor = cursorOf(conditions);
    const other =
      {
        start: '2026-01-31T09:30:00.001Z',
        end: '2026-02-28T09:30:01Z',
        operation: 'messages',
        status: '201',
        min_cost_usd: '0.2',
        max_retries: '2',
        order: 'desc',
      }[name] ?? 'x';
    expect(() => read({ ...conditions, [name]: other }, cursor)).toThrow(invalidCursor);
    const { [name as keyof typeof conditions]: _, ...fewer } = conditions;
    expect(() => read(fewer, cursor)).toThrow(invalidCursor);
  });

  it('rejects a cursor when a value moves to another parameter', () => {
    expect(() => read({ user_id: 'x' }, cursorOf({ session_id: 'x' }))).toThrow(invalidCursor);
    expect(() => read({ model: 'x' }, cursorOf({ provider: 'x' }))).toThrow(invalidCursor);
  });

  it('rejects a cursor of another organization', () => {
    expect(() => read({}, cursorOf({}, 'org_2'))).toThrow(invalidCursor);
  });
});
