import { describe, expect, it } from 'vitest';
import { attributesJson } from '#lambdas/platform/dynamodb/attributes.ts';
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { fromItem, storedFromStreamImage, toItem } from '#lambdas/request-log/table/item.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { randomEntries } from '../random-entry.ts';

const createdMs = Date.UTC(2026, 0, 31, 9, 30);
const times = { writtenAtMs: createdMs + 5120, expiresAtSeconds: 1_777_777_777 };
const uuid = () => createLogId(createdMs);

/** A request that was rejected before a provider was called. */
const noUsage: Partial<LogEntry> = {
  outcome: 'rejected',
  response_model: null,
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_input_tokens: null,
  cache_write_input_tokens: null,
  reasoning_tokens: null,
  service_tier: null,
  cost_usd: '0',
  pricing: null,
  pricing_version: null,
  usage_source: 'missing',
  finish_reason: null,
  time_to_first_token_ms: null,
  overhead_ms: null,
  provider_request_id: null,
};

/**
 * DynamoDB's item size: names and text in UTF-8, a number half a byte per digit plus one, a boolean one byte, three bytes for a
 * list or map and one for each of its elements.
 */
function sizeOf(item: Record<string, unknown>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOfValue(value), 0);
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'boolean') return 1;
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + 1 + sizeOfValue(each), 3);
  if (isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype)
    return 3 + Object.keys(value).length + sizeOf(value);
  const text = String(value);
  return typeof value === 'string' ? Buffer.byteLength(text) : Math.ceil(text.length / 2) + 1;
}

describe('Items of log entries', () => {
  it('contains the fields, the keys of the table and the indexes, and the timestamps', () => {
    const id = createLogId(createdMs, 7);
    const entry = logEntry({ id, status: 429, prompt_id: 'p', session_id: 's#1', user_id: 'ü' });

    const { id: itemId, organization_id, organization_shard, ...item } = toItem(entry, times);

    expect([itemId, organization_id, organization_shard]).toEqual([
      id,
      'org_AAAAAAAAAAAAAAAA',
      'org_AAAAAAAAAAAAAAAA#7',
    ]);
    expect(item).toMatchObject({
      model_key: 'org_AAAAAAAAAAAAAAAA#7#gpt-4o',
      provider_key: 'org_AAAAAAAAAAAAAAAA#7#openai',
      prompt_key: 'org_AAAAAAAAAAAAAAAA#7#p',
      session_key: 'org_AAAAAAAAAAAAAAAA#7#s#1',
      user_key: 'org_AAAAAAAAAAAAAAAA#7#ü',
      status_key: 'org_AAAAAAAAAAAAAAAA#7#429',
      status: 429,
      written_at: createdMs + 5120,
      expires_at: 1_777_777_777,
    });
    expect(Object.keys(item)).not.toContain('model');
    expect(Object.values(item)).not.toContain(null);
  });

  it('has no index key for a missing field and for the status 200', () => {
    const item = toItem(logEntry({ model: null, provider: null, status: 200 }), times);

    expect(Object.keys(item).filter((name) => name.endsWith('_key'))).toEqual([]);
    expect(item.status).toBe(200);
  });

  it('fits into one write unit, and leaves 30 bytes for further fields of a long entry with three UUIDs as metadata', () => {
    const id = createLogId(createdMs, 255);
    const long = { id, prompt_id: uuid(), session_id: uuid(), user_id: uuid() };
    const counts = {
      input_tokens: 123_456,
      output_tokens: 12_345,
      total_tokens: 135_801,
      cached_input_tokens: 112_345,
      cost_usd: '1.234567890125',
      latency_ms: 123_456,
      time_to_first_token_ms: 12_345,
      overhead_ms: 123,
    };
    const anthropic = logEntry({
      ...long,
      ...counts,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      response_model: 'claude-sonnet-4-5-20250929',
      service_tier: 'standard',
      speed: 'standard',
      inference_geo: 'not_available',
      provider_request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
      response_id: 'msg_011CSHoEf1VGRgAqYb2JcUzZ',
    });
    const bedrock = logEntry({
      ...long,
      ...counts,
      provider: 'bedrock',
      model: 'apac.anthropic.claude-sonnet-4-5-20250929-v1:0',
      response_model: null,
      service_tier: 'priority',
      region: 'ap-northeast-1',
      response_id: `msg_${id}`,
    });
    const rejected = logEntry({
      ...long,
      ...noUsage,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      status: 400,
      error_code: 'unsupported_parameter',
      error_type: 'invalid_request_error',
      error_param: 'messages[12].content[3].image_url.url',
      error_message: 'm'.repeat(280),
    });
    const refused = logEntry({
      ...noUsage,
      id,
      session_id: uuid(),
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      status: 429,
      error_code: 'insufficient_quota',
      error_type: 'rate_limit_error',
      error_message: 'm'.repeat(256),
      refusal: {
        by: 'budget',
        owner: 'api_key',
        api_key_id: 'key_AAAAAAAAAAAAAAAA',
        period: 'month',
        limit_usd: '1000.25',
        needed_usd: '1.234567890125',
        left_usd: '0.234567890125',
        resets_at: '2026-12-01T00:00:00.000Z',
        reserved_by_others: false,
      },
      budget_counters: ['key/x7Rt0aLm/2026-11'],
    });
    const rateLimited = logEntry({
      ...noUsage,
      ...long,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      operation: 'messages',
      status: 429,
      error_code: 'rate_limit_exceeded',
      error_type: 'rate_limit_error',
      error_message: 'm'.repeat(128),
      refusal: {
        by: 'rate_limit',
        owner: 'api_key',
        api_key_id: 'key_AAAAAAAAAAAAAAAA',
        limit: 'requests_per_minute',
        limit_value: 10_000_000,
        retry_after_ms: 59_999,
      },
      refused_requests: 50,
      budget_key_id: 'key_AAAAAAAAAAAAAAAA',
    });

    const superseded = logEntry({
      ...long,
      ...noUsage,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      operation: 'messages',
      status: 529,
      outcome: 'provider_error',
      error_code: 'provider_error',
      error_type: 'overloaded_error',
      overhead_ms: 123,
      provider_request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
      route: 'r'.repeat(32),
      attempt: 2,
      superseded_by: id,
      skipped_targets: [{ target: 'openai/gpt-5.6-2026-10-01', reason: 'unsupported', param: 'tools[0]' }],
    });

    expect(sizeOf(toItem(logEntry(), times))).toBeLessThanOrEqual(750);
    for (const operation of operations)
      expect(sizeOf(toItem({ ...anthropic, operation }, times))).toBeLessThanOrEqual(1024);
    expect(sizeOf(toItem(anthropic, times))).toBeLessThanOrEqual(1024 - 30);
    expect(sizeOf(toItem(rejected, times))).toBeLessThanOrEqual(1024);
    // The item of a refused request with more metadata takes a second write unit.
    expect(sizeOf(toItem(refused, times))).toBeLessThanOrEqual(1024);
    expect(sizeOf(toItem(rateLimited, times))).toBeLessThanOrEqual(1024);
    expect(sizeOf(toItem(superseded, times))).toBeLessThanOrEqual(1024);
    expect(sizeOf(toItem(bedrock, times))).toBeLessThanOrEqual(1024 - 30);
  });

  it('names the operation, unless it is that of chat completions', () => {
    const stored = (fields: Partial<LogEntry>) => toItem(logEntry(fields), times);
    expect(stored({ operation: 'embeddings' }).operation).toBe('embeddings');
    expect(fromItem(stored({ operation: 'embeddings' })).operation).toBe('embeddings');

    const item = stored({ operation: 'chat.completions', service_tier: 'chat.completions' });
    expect(Object.keys(item)).not.toContain('operation');
    expect(fromItem(item)).toMatchObject({
      operation: 'chat.completions',
      service_tier: 'chat.completions',
    });
  });

  it('round-trips any entry through the table and through a stream record', () => {
    fc.assert(
      fc.property(randomEntries, (entry) => {
        const image = JSON.parse(attributesJson(toItem(entry, times)));
        expect(storedFromStreamImage(image)).toEqual({ entry, writtenAtMs: times.writtenAtMs });
      }),
    );
  });

  it('stores no attribute for a missing list, and restores the order of the fields of billed parts', () => {
    const billedPart = { model: 'm', input_tokens: 1, output_tokens: 2, web_searches: 3 };
    const item = toItem(logEntry({ billed_parts: [billedPart], pricing_gaps: null }), times);
    const unordered = { web_searches: 3, output_tokens: 2, model: 'm', input_tokens: 1 };

    expect(Object.keys(item)).not.toContain('pricing_gaps');
    expect(JSON.stringify(fromItem({ ...item, billed_parts: [unordered] }).billed_parts)).toBe(
      JSON.stringify([billedPart]),
    );
  });

  it('stores no param of a skipped target without one, and restores the order of its fields', () => {
    const skippedTarget = { target: 'openai/gpt-5.6', reason: 'failing' as const, param: null };
    const item = toItem(logEntry({ skipped_targets: [skippedTarget] }), times);

    expect(item.skipped_targets).toEqual([{ target: 'openai/gpt-5.6', reason: 'failing' }]);
    const unordered = { param: 'tools[0]', reason: 'unsupported', target: 'openai/gpt-5.6' };
    expect(JSON.stringify(fromItem({ ...item, skipped_targets: [unordered] }).skipped_targets)).toBe(
      '[{"target":"openai/gpt-5.6","reason":"unsupported","param":"tools[0]"}]',
    );
    expect(fromItem(item).skipped_targets).toEqual([skippedTarget]);
  });

  it('throws for an item that is not a log entry and for a missing image', () => {
    expect(() => fromItem({ organization_shard: 'o#0', id: 'x' })).toThrow('The item is not a log entry');
    expect(() => storedFromStreamImage(undefined)).toThrow('The stream record has no such image');
  });
});
