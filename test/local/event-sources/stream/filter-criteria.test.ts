import { describe, expect, it } from 'vitest';
import { readFilterCriteria } from '#local/event-sources/stream/filter-criteria.ts';

const filter = (...patterns: unknown[]) =>
  readFilterCriteria(
    { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
    'Mapping',
  );

const insert = { eventName: 'INSERT', dynamodb: { NewImage: { kind: { S: 'chat' } } } };
const imagePattern = (matcher: unknown) => ({ dynamodb: { NewImage: { kind: { S: [matcher] } } } });

describe('readFilterCriteria', () => {
  it.each([
    ['a literal', [{ eventName: ['INSERT'] }]],
    ['one of several literals', [{ eventName: ['MODIFY', 'INSERT'] }]],
    ['a literal in a nested field', [imagePattern('chat')]],
    ['one of several patterns', [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }]],
  ])('matches an event by %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(true);
  });

  it.each([
    ['a field has another value', [{ eventName: ['MODIFY'] }]],
    ['only some fields of a pattern match', [{ eventName: ['INSERT'], ...imagePattern('other') }]],
    ['a field is missing', [{ dynamodb: { OldImage: { kind: { S: ['chat'] } } } }]],
  ])('does not match an event when %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(false);
  });

  it('matches every event without filters', () => {
    expect(readFilterCriteria(undefined, 'Mapping')({})).toBe(true);
    expect(readFilterCriteria({ Filters: [] }, 'Mapping')({})).toBe(true);
  });

  it.each([{ prefix: 'ch' }, ['chat'], null])('rejects the matcher %j', (matcher) => {
    expect(() => filter(imagePattern(matcher))).toThrow(
      `Mapping.Filters[0].Pattern.dynamodb.NewImage.kind.S: the local run supports only literals in event patterns, not ${JSON.stringify(matcher)}`,
    );
  });

  it('rejects a pattern whose values are not in an array', () => {
    expect(() => filter({ eventName: 'INSERT' })).toThrow(
      'Mapping.Filters[0].Pattern.eventName: an event pattern must be an object or an array',
    );
  });
});
