import { describe, expect, it } from 'vitest';
import { createEntryCheck, keyHashIn, nameOf } from '#bench/shared/entry-check.ts';

const name = nameOf('0123456789abcdef0123456789abcdef');

const putItem = ({ id = 'a', organization = name, key = name, user = name }) =>
  JSON.stringify({
    TableName: 'log-entries',
    Item: {
      id: { S: id },
      organization_id: { S: `org_${organization}` },
      api_key_id: { S: `key_${key}` },
      user_key: { S: `org_${organization}#0#${user}` },
      output_tokens: { N: '7' },
    },
  });

function countsOf(...items: string[]) {
  const counts = {};
  const check = createEntryCheck(counts);
  for (const item of items) check(item);
  return counts;
}

describe('the check of log entries', () => {
  it('counts entries and their tokens', () => {
    expect(countsOf(putItem({}), putItem({ id: 'b' }))).toEqual({ entries: 2, outputTokens: 14 });
  });

  it('finds one that is written again', () => {
    expect(countsOf(putItem({}), putItem({}))).toEqual({ entries: 1, again: 1, outputTokens: 14 });
  });

  it.each([
    ['organization', { organization: 'f' }],
    ['key', { key: 'f' }],
    ['user', { user: 'f' }],
  ])('finds one with the %s of another', (_, other) => {
    expect(countsOf(putItem(other))).toMatchObject({ entries: 1, misplaced: 1 });
  });

  it('takes an entry without a user for misplaced', () => {
    const { Item } = JSON.parse(putItem({}));
    const { user_key, ...rest } = Item;

    expect(countsOf(JSON.stringify({ Item: rest }))).toMatchObject({ misplaced: 1 });
  });

  it('reads whose key is asked for', () => {
    const asked = '{"TableName":"directory","Key":{"pk":{"S":"key#0a1b"},"sk":{"S":"key"}}}';

    expect(keyHashIn(asked)).toBe('0a1b');
  });
});
