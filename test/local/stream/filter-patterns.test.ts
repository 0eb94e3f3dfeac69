import { describe, expect, it } from 'vitest';
import { readFilterCriteria } from '#local/stream/event-source-mapping.ts';

const filter = (...patterns: object[]) =>
  readFilterCriteria(
    { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
    'Mapping',
  );

const insert = { eventName: 'INSERT', dynamodb: { NewImage: { kind: { S: 'chat' } } } };

describe('filter criteria', () => {
  it.each([
    ['a literal', [{ eventName: ['INSERT'] }], true],
    ['one of several literals', [{ eventName: ['MODIFY', 'INSERT'] }], true],
    ['another literal', [{ eventName: ['MODIFY'] }], false],
    ['a nested field', [{ dynamodb: { NewImage: { kind: { S: ['chat'] } } } }], true],
    [
      'all fields of a pattern',
      [{ eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['other'] } } } }],
      false,
    ],
    ['a field that is not there', [{ dynamodb: { OldImage: { kind: { S: ['chat'] } } } }], false],
    ['any of several patterns', [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }], true],
  ])('with %s', (_, patterns, passes) => {
    expect(filter(...patterns)(insert)).toBe(passes);
  });

  it('let everything through when there are none', () => {
    expect(readFilterCriteria(undefined, 'Mapping')({})).toBe(true);
    expect(readFilterCriteria({ Filters: [] }, 'Mapping')({})).toBe(true);
  });

  it('are refused when they are more than literals', () => {
    expect(() => filter({ dynamodb: { NewImage: { kind: { S: [{ prefix: 'ch' }] } } } })).toThrow(
      'Mapping.dynamodb.NewImage.kind.S: the local run knows filter patterns of literals only, not {"prefix":"ch"}',
    );
  });
});
