import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { copiesOf, itemBytes, storedBytes, writeUnits } from '#bench/cost/item-size.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';

const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';
const itemOf = (fields: Partial<LogEntry>) =>
  toItem(logEntry(fields), { writtenAtMs: 1_769_850_605_120, expiresAtSeconds: 1_777_626_600 });

describe('the size of an item', () => {
  it.each([
    ['text in UTF-8', { id: 'Zoë' }, 2 + 4],
    ['a flag', { stream: true }, 6 + 1],
    ['a number, two digits a byte and one more', { cost: 1234 }, 4 + 3],
    ['a number whose zeros at the end are not stored', { cost: 1_500_000 }, 4 + 2],
    ['a decimal as its digits', { cost: NumberValue.from('0.00472') }, 4 + 3],
    ['zero', { cost: 0 }, 4 + 1],
    ['several attributes', { id: 'abc', n: 7 }, 2 + 3 + 1 + 2],
  ])('counts %s', (_, item, bytes) => {
    expect(itemBytes(item)).toBe(bytes);
  });

  it('is refused for what entries do not hold', () => {
    expect(() => itemBytes({ tags: ['a'] })).toThrow(new Error('No size is known for object'));
  });

  it('is a hundred bytes more where it is stored', () => {
    expect(storedBytes({ id: 'abc' })).toBe(105);
  });
});

describe('writing an entry', () => {
  it.each<[string, Partial<LogEntry>, number]>([
    ['no header', {}, 3],
    ['one header', { prompt_id: uuid }, 4],
    ['three headers', { prompt_id: uuid, session_id: uuid, user_id: uuid }, 6],
    [
      'three headers of 256 bytes',
      { prompt_id: 'p'.repeat(256), session_id: 's'.repeat(256), user_id: 'u'.repeat(256) },
      12,
    ],
    ['another status than 200', { status: 429 }, 4],
    [
      'a request that reached no provider',
      { status: 400, outcome: 'rejected', provider: null, model: null },
      2,
    ],
  ])('with %s takes the units that the engine counts', (_, fields, units) => {
    expect(writeUnits(itemOf(fields))).toBe(units);
  });

  it('makes a copy in each index whose key it has', () => {
    expect(copiesOf(itemOf({}))).toBe(3);
    expect(copiesOf(itemOf({ user_id: uuid }))).toBe(4);
  });
});
