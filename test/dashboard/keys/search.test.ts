import { describe, expect, it } from 'vitest';
import { isListed, parseKeysSearch } from '#dashboard/keys/search.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { apiKeyOf, keyIdOf } from './api-key.ts';

describe('The link of the list of keys', () => {
  it('has a search, an order and a state, and ignores others', () => {
    const link = { search: 'ada', order: 'spend', state: 'ended' } as const;
    expect(parseKeysSearch({ ...link, range: '7d' })).toEqual(link);
    expect(parseKeysSearch({ order: 'last_used' })).toMatchObject({ order: 'last_used' });
    const none = { search: undefined, order: undefined, state: undefined };
    expect(parseKeysSearch({ search: '', order: 'name', state: 'active' })).toEqual(none);
    expect(parseKeysSearch({})).toEqual(none);
  });
});

describe('A list of keys', () => {
  it.each<[ApiKeySummary['state'], 'ended' | undefined, boolean]>([
    ['active', undefined, true],
    ['active', 'ended', false],
    ['expired', undefined, false],
    ['expired', 'ended', true],
    ['revoked', 'ended', true],
  ])('has one that is %s, if the list is of %s ones: %s', (state, listed, expected) => {
    expect(isListed(apiKeyOf(1, { state }), { state: listed })).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['zoe', true],
    ['ZOE’S', true],
    ['Zoë', false],
    ['laptop ', false],
    [keyIdOf(7), true],
    [keyIdOf(7).slice(0, -1), false],
    ['aB3d', true],
    ['ab3d', false],
    ['B3d', false],
  ])('that is searched for "%s" has Zoe’s laptop, which ends with aB3d: %s', (search, expected) => {
    expect(isListed(apiKeyOf(7, { name: 'Zoe’s laptop', last_four: 'aB3d' }), { search })).toBe(expected);
  });

  it('has a name however its letters are composed', () => {
    const composed = apiKeyOf(1, { name: 'Zo\u00eb' });
    const decomposed = apiKeyOf(1, { name: 'Zoe\u0308' });
    expect([composed, decomposed].map((key) => isListed(key, { search: 'OE\u0308' }))).toEqual([true, true]);
  });
});
