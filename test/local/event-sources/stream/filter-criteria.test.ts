import { describe, expect, it } from 'vitest';
import { readFilterCriteria } from '#local/event-sources/stream/filter-criteria.ts';

const filter = (...patterns: unknown[]) =>
  readFilterCriteria(
    { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
    'Mapping',
  );

const insert = { eventName: 'INSERT', dynamodb: { NewImage: { kind: { S: 'chat' } } } };
const keysOnly = {
  eventName: 'MODIFY',
  dynamodb: { Keys: { pk: { S: 'budget#org_1' }, sk: { N: '12' } }, SizeBytes: 12 },
};

const keyPattern = (matcher: unknown) => ({ dynamodb: { Keys: { pk: { S: [matcher] } } } });
const imagePattern = (matcher: unknown) => ({ dynamodb: { NewImage: { kind: { S: [matcher] } } } });

describe('readFilterCriteria', () => {
  it.each([
    ['a literal', [{ eventName: ['INSERT'] }]],
    ['one of several literals', [{ eventName: ['MODIFY', 'INSERT'] }]],
    ['a literal in a nested field', [imagePattern('chat')]],
    ['one of several patterns', [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }]],
    ['a literal or a prefix', [{ eventName: ['REMOVE', { prefix: 'INS' }] }]],
  ])('matches an event by %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(true);
  });

  it.each([
    ['a field has another value', [{ eventName: ['MODIFY'] }]],
    ['only some fields of a pattern match', [{ eventName: ['INSERT'], ...imagePattern('other') }]],
    ['a field is missing', [{ dynamodb: { OldImage: { kind: { S: ['chat'] } } } }]],
    ['a missing field is compared with null', [{ dynamodb: { OldImage: { kind: { NULL: [null] } } } }]],
  ])('does not match an event when %s', (_, patterns) => {
    expect(filter(...patterns)(insert)).toBe(false);
  });

  it.each([
    ['is the beginning of the value', keyPattern({ prefix: 'budget#' }), true],
    ['is the whole value', keyPattern({ prefix: 'budget#org_1' }), true],
    ['is empty', keyPattern({ prefix: '' }), true],
    ['is within the value', keyPattern({ prefix: 'org_' }), false],
    ['differs in case', keyPattern({ prefix: 'Budget#' }), false],
    ['is longer than the value', keyPattern({ prefix: 'budget#org_12' }), false],
    ['is of a field of another type', { dynamodb: { Keys: { sk: { S: [{ prefix: '' }] } } } }, false],
    ['is compared with a number', { dynamodb: { SizeBytes: [{ prefix: '1' }] } }, false],
    ['is of a missing field', imagePattern({ prefix: '' }), false],
  ])('compares a prefix that %s', (_, pattern, matches) => {
    expect(filter(pattern)(keysOnly)).toBe(matches);
  });

  it.each([
    ['exists', keyPattern({ exists: true }), true],
    ['exists', keyPattern({ exists: false }), false],
    ['is absent', imagePattern({ exists: true }), false],
    ['is absent', imagePattern({ exists: false }), true],
    [
      'is an object, which Lambda does not count as existing',
      { dynamodb: { Keys: [{ exists: true }] } },
      false,
    ],
    [
      'is an object, which Lambda does not count as existing',
      { dynamodb: { Keys: [{ exists: false }] } },
      true,
    ],
  ])('tests whether a field exists that %s: %j', (_, pattern, matches) => {
    expect(filter(pattern)(keysOnly)).toBe(matches);
  });

  it('counts null as an existing value', () => {
    const event = { value: null };

    expect(filter({ value: [{ exists: true }] })(event)).toBe(true);
    expect(filter({ value: [null] })(event)).toBe(true);
  });

  it.each([
    ['a literal', ['b'], true],
    ['a prefix', [{ prefix: 'c' }], true],
    ['a literal that no element equals', ['d'], false],
    ['an existing element', [{ exists: true }], true],
    ['the absence of all elements', [{ exists: false }], false],
  ])('compares each element of an array with %s', (_, matchers, matches) => {
    expect(
      filter({ tags: { L: { S: matchers } } })({ tags: { L: [{ S: 'b' }, { S: 'ca' }, { N: '1' }] } }),
    ).toBe(matches);
    expect(filter({ tags: { SS: matchers } })({ tags: { SS: ['b', 'ca'] } })).toBe(matches);
  });

  it('matches every event without filters', () => {
    expect(readFilterCriteria(undefined, 'Mapping')({})).toBe(true);
    expect(readFilterCriteria({ Filters: [] }, 'Mapping')({})).toBe(true);
  });

  it.each([
    { suffix: 'at' },
    { 'anything-but': ['chat'] },
    { prefix: { 'equals-ignore-case': 'ch' } },
    { prefix: 1 },
    { exists: 'true' },
    { prefix: 'ch', exists: true },
    {},
    ['chat'],
  ])('rejects the matcher %j', (matcher) => {
    expect(() => filter(imagePattern(matcher))).toThrow(
      `Mapping.Filters[0].Pattern.dynamodb.NewImage.kind.S: the local run supports only literals, prefix and exists in event patterns, not ${JSON.stringify(matcher)}`,
    );
  });

  it('rejects a pattern whose values are not in an array', () => {
    expect(() => filter({ eventName: 'INSERT' })).toThrow(
      'Mapping.Filters[0].Pattern.eventName: an event pattern must be an object or an array',
    );
  });
});
