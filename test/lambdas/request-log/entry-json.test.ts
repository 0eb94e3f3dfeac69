import { describe, expect, it } from 'vitest';
import type { RateLimitRefusal } from '#lambdas/limits/refusal.ts';
import { logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { parseLogEntry, serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { randomEntries } from './random-entry.ts';

const roundTrip = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const rejected = logEntry({
  model: null,
  response_model: null,
  provider: null,
  outcome: 'rejected',
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_input_tokens: null,
  cache_write_input_tokens: null,
  reasoning_tokens: null,
  cost_usd: '0',
  pricing: null,
  pricing_version: null,
  service_tier: null,
  usage_source: 'missing',
  finish_reason: null,
  time_to_first_token_ms: null,
  overhead_ms: null,
  provider_request_id: null,
  error_code: 'model_not_found',
});

const skippedTarget = { target: 'google/gemini-3', reason: 'failing' as const, param: null };

const full = logEntry({
  outcome: 'interrupted',
  usage_source: 'estimated',
  retries: 1,
  provider_calls: 2,
  route: 'fast',
  attempt: 2,
  superseded_by: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
  skipped_targets: [{ target: 'openai/gpt-5.6', reason: 'unsupported', param: 'tools[0]' }, skippedTarget],
  cache_write_1h_input_tokens: 1,
  audio_input_tokens: 2,
  cached_audio_input_tokens: 3,
  audio_output_tokens: 4,
  image_output_tokens: 5,
  image_input_tokens: 6,
  cached_image_input_tokens: 7,
  web_searches: 8,
  page_visits: 9,
  file_searches: 12,
  audio_input_seconds: 10,
  context_tokens: 11,
  speed: 'fast',
  inference_geo: 'us',
  region: 'eu',
  pricing_gaps: ['code_execution'],
  billed_parts: [
    { model: 'm', input_tokens: 1, output_tokens: 0 },
    { model: '', input_tokens: 0, output_tokens: 2, web_searches: 8 },
  ],
  prompt_id: 'p',
  session_id: 's',
  user_id: 'Ünïcode #1',
  response_id: 'chatcmpl-1',
  error_code: 'provider_error',
  error_type: 'api_error',
  error_param: 'messages[0]',
  error_message: 'The response of the provider openai ended early',
  refusal: {
    by: 'budget',
    owner: 'api_key',
    api_key_id: 'key_BBBBBBBBBBBBBBBB',
    period: 'month',
    limit_usd: '5',
    needed_usd: '0.0125',
    left_usd: '0.01',
    resets_at: '2026-02-01T00:00:00.000Z',
    reserved_by_others: false,
  },
  refused_requests: 50,
  budget_key_id: 'key_BBBBBBBBBBBBBBBB',
  reserved_usd: '0.0125',
  budget_counters: ['organization/a1b2c3d4/0', 'key/e5f6g7h8/0'],
});

const rateLimitRefusal: RateLimitRefusal = {
  by: 'rate_limit',
  owner: 'organization',
  api_key_id: null,
  limit: 'tokens_per_minute',
  limit_value: 90_000,
  retry_after_ms: 1250,
};

const billedPart = { model: 'm', input_tokens: 1, output_tokens: 2, reasoning_tokens: 0 };

describe('serializeLogEntry and parseLogEntry', () => {
  it('omits fields that are null', () => {
    expect(serializeLogEntry(rejected)).toEqual({
      id: rejected.id,
      organization_id: 'org_AAAAAAAAAAAAAAAA',
      created_at: '2026-01-31T09:30:00.000Z',
      operation: 'chat.completions',
      status: 200,
      outcome: 'rejected',
      stream: true,
      cost_usd: '0',
      usage_source: 'missing',
      latency_ms: 5120,
      api_key_id: 'key_AAAAAAAAAAAAAAAA',
      error_code: 'model_not_found',
    });
  });

  it.each([
    ['that was rejected', rejected],
    ['without null', full],
    ['that a rate limit refused', { ...rejected, refusal: rateLimitRefusal, refused_requests: 50 }],
    [
      "with empty strings in the provider's fields",
      logEntry({ finish_reason: '', provider_request_id: '', response_model: '' }),
    ],
  ])('round-trips an entry %s', (_case, entry) => {
    expect(parseLogEntry(roundTrip(serializeLogEntry(entry)))).toEqual(entry);
  });

  it('round-trips any entry', () => {
    fc.assert(
      fc.property(randomEntries, (entry) => {
        expect(parseLogEntry(roundTrip(serializeLogEntry(entry)))).toEqual(entry);
      }),
    );
  });

  it.each(Object.keys(serializeLogEntry(full)))('throws when %s has the wrong type', (field) => {
    const message = `The field ${field} of the log entry is missing or invalid`;
    for (const invalid of [{ secret: 1 }, [], '\ud800', -1, 1.5]) {
      expect(() => parseLogEntry({ ...serializeLogEntry(full), [field]: invalid })).toThrow(message);
    }
  });

  it.each([
    'id',
    'organization_id',
    'created_at',
    'operation',
    'status',
    'outcome',
    'stream',
    'cost_usd',
    'usage_source',
    'latency_ms',
    'api_key_id',
  ])('throws when %s is missing', (field) => {
    const { [field]: _, ...rest } = serializeLogEntry(full);
    expect(() => parseLogEntry(rest)).toThrow(`The field ${field} of the log entry is missing or invalid`);
  });

  it.each([
    ['status', 99],
    ['status', 600],
    ['cost_usd', '-1'],
    ['cost_usd', '1e-7'],
    ['cost_usd', '0.1234567890123'],
    ['operation', 'secret'],
    ['outcome', 'secret'],
    ['pricing', 'secret'],
    ['usage_source', 'secret'],
    ['id', 'secret'],
    ['id', 'constructor'],
    ['user_id', ''],
    ['provider', ''],
    ['organization_id', ''],
    ['input_tokens', 2 ** 53],
    ['refused_requests', 0],
    ['attempt', 0],
    ['route', ''],
    ['superseded_by', 'secret'],
  ])('throws when %s is %j', (field, value) => {
    expect(() => parseLogEntry({ ...serializeLogEntry(full), [field]: value })).toThrow(
      `The field ${field} of the log entry is missing or invalid`,
    );
  });

  it.each<[string, unknown, string]>([
    ['pricing_gaps', [], 'pricing_gaps'],
    ['pricing_gaps', { 0: 'code_execution', length: 1 }, 'pricing_gaps'],
    ['pricing_gaps', ['code_execution', 'secret'], 'pricing_gaps[1]'],
    ['pricing_gaps', [null], 'pricing_gaps[0]'],
    ['skipped_targets', [], 'skipped_targets'],
    ['skipped_targets', skippedTarget, 'skipped_targets'],
    ['skipped_targets', [skippedTarget, null], 'skipped_targets[1]'],
    ['skipped_targets', [{ ...skippedTarget, reason: 'secret' }], 'skipped_targets[0]'],
    ['skipped_targets', [{ ...skippedTarget, target: '' }], 'skipped_targets[0]'],
    ['skipped_targets', [{ ...skippedTarget, secret: 1 }], 'skipped_targets[0]'],
    ['refusal', { by: 'budget' }, 'refusal'],
    ['refusal', { ...rateLimitRefusal, by: 'budget' }, 'refusal'],
    ['refusal', { ...rateLimitRefusal, by: 'toString' }, 'refusal'],
    ['refusal', { ...rateLimitRefusal, limit: 'tokens' }, 'refusal'],
    ['refusal', { ...rateLimitRefusal, secret: 1 }, 'refusal'],
    ['billed_parts', [], 'billed_parts'],
    ['billed_parts', billedPart, 'billed_parts'],
    ['billed_parts', [billedPart, null], 'billed_parts[1]'],
    ['billed_parts', [billedPart, [billedPart]], 'billed_parts[1]'],
    ['billed_parts', [billedPart, billedPart, 'secret'], 'billed_parts[2]'],
    ['billed_parts', [{ ...billedPart, secret: 1 }], 'billed_parts[0]'],
    ['billed_parts', [{ ...billedPart, constructor: 1 }], 'billed_parts[0]'],
    [
      'billed_parts',
      [JSON.parse('{"model":"m","input_tokens":1,"output_tokens":1,"__proto__":1}')],
      'billed_parts[0]',
    ],
    ['billed_parts', [{ input_tokens: 1, output_tokens: 1 }], 'billed_parts[0]'],
    ['billed_parts', [{ model: 'm', output_tokens: 1 }], 'billed_parts[0]'],
    ['billed_parts', [{ ...billedPart, model: '\ud800' }], 'billed_parts[0]'],
    ['billed_parts', [{ ...billedPart, output_tokens: -1 }], 'billed_parts[0]'],
    ['billed_parts', [{ ...billedPart, web_searches: 1.5 }], 'billed_parts[0]'],
    ['billed_parts', [{ ...billedPart, context_tokens: null }], 'billed_parts[0]'],
  ])('throws when the list %s is %j', (field, value, place) => {
    expect(() => parseLogEntry({ ...serializeLogEntry(full), [field]: value })).toThrow(
      new Error(`The field ${place} of the log entry is missing or invalid`),
    );
  });

  it('throws for unknown fields without quoting their names', () => {
    const message = 'The log entry has unknown fields: 1';
    expect(() => parseLogEntry({ ...serializeLogEntry(full), secret: 1 })).toThrow(message);
    expect(() => parseLogEntry(JSON.parse('{"__proto__":{"status":200}}'))).toThrow(message);
  });

  it('throws when id and created_at have different timestamps', () => {
    const json = { ...serializeLogEntry(full), created_at: '2026-01-31T09:30:00.001Z' };
    expect(() => parseLogEntry(json)).toThrow('id and created_at of the log entry have different timestamps');
  });

  it.each([null, undefined, 'text', 1, [], [serializeLogEntry(full)]])(
    'throws for %j, which is not an object',
    (value) => {
      expect(() => parseLogEntry(value)).toThrow('A log entry must be an object');
    },
  );

  it('includes every field when none is null', () => {
    expect(Object.keys(serializeLogEntry(full)).toSorted()).toEqual([...logEntryFieldNames].toSorted());
  });
});
