import type { AttributeValue } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';

function read(fields: Partial<LogEntry>, attributes: Record<string, AttributeValue> = {}) {
  const record = streamRecord(logEntry(fields), 1);
  return () =>
    toRollupRecord({
      ...record,
      dynamodb: { ...record.dynamodb, NewImage: { ...record.dynamodb?.NewImage, ...attributes } },
    });
}

describe('toRollupRecord', () => {
  it.each([
    [
      'a count',
      {},
      { output_tokens: { N: '1e38' } },
      'output_tokens must be an integer of at most 9007199254740991',
    ],
    [
      'a cost',
      {},
      { cost_usd: { N: '1e30' } },
      'cost_usd must have at most 15 digits before its decimal point',
    ],
    ['an organization id', { organization_id: '' }, {}, 'organization_id must have 1 to 1024 bytes: got 0'],
    [
      'a name',
      { model: 'm'.repeat(1001) },
      {},
      'model is too long (1001 bytes): the key of its row must have at most 1024 bytes, but has 1026',
    ],
    [
      'a value',
      { session_id: 'é'.repeat(600) },
      {},
      'session_id is too long (1200 bytes): the key of its row must have at most 1024 bytes, but has 1236',
    ],
  ])('names the field and the limit when %s cannot be added up', (_case, fields, attributes, message) => {
    expect(read(fields, attributes)).toThrow(new Error(message));
  });
});
