import { describe, expect, it } from 'vitest';
import { readFilterCriteria } from '#local/event-sources/stream/mapping.ts';

const filter = (...patterns: object[]) =>
  readFilterCriteria(
    { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
    'Mapping',
  );

const insert = { eventName: 'INSERT', dynamodb: { NewImage: { kind: { S: 'chat' } } } };

describe('readFilterCriteria', () => {
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
    ['a missing field', [{ dynamodb: { OldImage: { kind: { S: ['chat'] } } } }], false],
    ['any of several patterns', [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }], true],
  ])('evaluates a filter with %s', (_, patterns, passes) => {
    expect(filter(...patterns)(insert)).toBe(passes);
  });

  it('matches every event without filters', () => {
    expect(readFilterCriteria(undefined, 'Mapping')({})).toBe(true);
    expect(readFilterCriteria({ Filters: [] }, 'Mapping')({})).toBe(true);
  });

  it('rejects patterns other than literals', () => {
    expect(() => filter({ dynamodb: { NewImage: { kind: { S: [{ prefix: 'ch' }] } } } })).toThrow(
      'Mapping.dynamodb.NewImage.kind.S: the local run supports only literals in filter patterns, not {"prefix":"ch"}',
    );
  });
});
