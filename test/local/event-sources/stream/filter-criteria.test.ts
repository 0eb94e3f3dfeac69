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
    ['a literal', [{ eventName: ['INSERT'] }]],
    ['one of several literals', [{ eventName: ['MODIFY', 'INSERT'] }]],
    ['a literal in a nested field', [{ dynamodb: { NewImage: { kind: { S: ['chat'] } } } }]],
    ['one of several patterns', [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }]],
  ])('matches an event by %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(true);
  });

  it.each([
    ['a field has another value', [{ eventName: ['MODIFY'] }]],
    [
      'only some fields of a pattern match',
      [{ eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: ['other'] } } } }],
    ],
    ['a field is missing', [{ dynamodb: { OldImage: { kind: { S: ['chat'] } } } }]],
  ])('does not match an event when %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(false);
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
