import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fromItem, storedFromStreamImage, toItem } from '#lambdas/request-log/table/item.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const createdMs = Date.UTC(2026, 0, 31, 9, 30);
const times = { writtenAtMs: createdMs + 5120, expiresAtSeconds: 1_777_777_777 };
const uuid = () => createLogId(createdMs);

/** DynamoDB's item size: names and text in UTF-8, a number half a byte per digit plus one, a boolean one byte. */
function sizeOf(item: Record<string, unknown>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOfValue(value), 0);
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'boolean') return 1;
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

  it('fits into one write unit, even with three UUIDs as metadata and a long model name', () => {
    const metadata = { prompt_id: uuid(), session_id: uuid(), user_id: uuid() };
    const models = { model: 'claude-sonnet-4-5', response_model: 'claude-sonnet-4-5-20250929' };

    expect(sizeOf(toItem(logEntry(), times))).toBeLessThanOrEqual(750);
    expect(sizeOf(toItem(logEntry({ ...metadata, ...models }), times))).toBeLessThanOrEqual(1024);
  });

  it('round-trips any entry through the table and through a stream record', () => {
    const value = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }));
    const fields = fc.record({
      model: value,
      provider: value,
      prompt_id: value,
      session_id: value,
      user_id: value,
      status: fc.constantFrom(200, 400, 499, 502),
      cost_usd: fc.constantFrom('0', '0.000000000001', '123456789.000000000001'),
    });
    fc.assert(
      fc.property(fields, fc.nat(255), (values, shard) => {
        const entry = logEntry({ id: createLogId(createdMs, shard), ...values });
        const item = toItem(entry, times);
        expect(storedFromStreamImage(marshall(item))).toEqual({ entry, writtenAtMs: times.writtenAtMs });
        expect(fromItem({ ...item, cost_usd: entry.cost_usd })).toEqual(entry);
      }),
    );
  });

  it('throws for an item that is not a log entry and for a missing image', () => {
    expect(() => fromItem({ organization_shard: 'o#0', id: 'x' })).toThrow('The item is not a log entry');
    expect(() => storedFromStreamImage(undefined)).toThrow('The stream record has no such image');
  });
});
