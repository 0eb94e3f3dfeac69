import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { activeKeyQuery, type KeyListParameters, keyListQuery, keyNameQuery } from '#dashboard/api/keys.ts';
import { applyKeys, applyToList } from '#dashboard/keys/apply-changes.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { apiKeyOf, keyIdOf, keyPages } from './api-key.ts';

const revoked = (number: number) => apiKeyOf(number, { state: 'revoked' });

interface Applied {
  pages?: number[][];
  parameters?: KeyListParameters;
  hasNext?: boolean;
}

/** The numbers of the keys on each page after the changes. */
function applied(
  changed: readonly ApiKeySummary[],
  { pages = [[9, 7], [5]], parameters = {}, hasNext = false }: Applied = {},
): number[][] {
  const of = (number: number) => (parameters.state === 'ended' ? revoked(number) : apiKeyOf(number));
  const list = keyPages(
    pages.map((numbers) => numbers.map(of)),
    hasNext ? { next_cursor: 'next' } : {},
  );
  return applyToList(list, parameters, changed).pages.map(({ data }) =>
    data.map(({ id }) => Number(id.slice(4))),
  );
}

describe('The list of keys, after a change,', () => {
  it('begins with a new key', () => {
    expect(applied([apiKeyOf(10)])).toEqual([[10, 9, 7], [5]]);
    expect(applied([apiKeyOf(1)], { pages: [[]] })).toEqual([[1]]);
  });

  it('has a rotated key and its replacement', () => {
    const list = keyPages([[apiKeyOf(9), apiKeyOf(7)]]);
    const replaced = apiKeyOf(7, { replacement_id: keyIdOf(10), ends_at: '2026-12-01T00:00:00.000Z' });

    expect(applyToList(list, {}, [apiKeyOf(10), replaced]).pages[0]?.data).toEqual([
      apiKeyOf(10),
      apiKeyOf(9),
      replaced,
    ]);
  });

  it('no longer has one that ended, if it is of active ones', () => {
    expect(applied([revoked(7)])).toEqual([[9], [5]]);
    expect(applied([revoked(9), revoked(7), revoked(5)])).toEqual([[], []]);
  });

  it.each([
    [8, [[9, 8, 7], [5]]],
    [
      6,
      [
        [9, 7],
        [6, 5],
      ],
    ],
    [
      4,
      [
        [9, 7],
        [5, 4],
      ],
    ],
  ])('has a revoked key %i in the order of creation, if it is of ended ones', (number, expected) => {
    expect(applied([revoked(number)], { parameters: { state: 'ended' } })).toEqual(expected);
  });

  it('lacks one that belongs to a page that is not loaded', () => {
    const parameters = { state: 'ended' } as const;
    expect(applied([revoked(4)], { parameters, hasNext: true })).toEqual([[9, 7], [5]]);
    expect(applied([revoked(6)], { parameters, hasNext: true })).toEqual([
      [9, 7],
      [6, 5],
    ]);
  });

  it('has those alone that match the search', () => {
    const parameters = { search: 'KEY' };
    expect(applied([apiKeyOf(10), apiKeyOf(11, { name: 'other' })], { parameters })).toEqual([
      [10, 9, 7],
      [5],
    ]);
    expect(applied([apiKeyOf(7, { name: 'renamed' })], { parameters })).toEqual([[9], [5]]);
    expect(applied([apiKeyOf(7, { name: 'my key' })], { parameters })).toEqual([[9, 7], [5]]);
  });

  it('keeps the order of spending, in which a new key has no place', () => {
    const list = { pages: [[5, 9], [7]], parameters: { order: 'spend' } } as const;
    const pages = list.pages.map((numbers) => [...numbers]);
    expect(applied([apiKeyOf(10), revoked(9)], { ...list, pages })).toEqual([[5], [7]]);
  });
});

describe('The stored lists of keys', () => {
  it('each show a change by their own parameters, and are then read again', () => {
    const client = new QueryClient();
    const [active, ended, other] = [
      keyListQuery('org_1').queryKey,
      keyListQuery('org_1', { state: 'ended' }).queryKey,
      keyListQuery('org_2').queryKey,
    ];
    client.setQueryData(active, keyPages([[apiKeyOf(2), apiKeyOf(1)]]));
    client.setQueryData(ended, keyPages([[]]));
    client.setQueryData(other, keyPages([[apiKeyOf(1)]]));

    applyKeys(client, 'org_1', revoked(1));

    expect(client.getQueryData(active)).toEqual(keyPages([[apiKeyOf(2)]]));
    expect(client.getQueryData(ended)).toEqual(keyPages([[revoked(1)]]));
    expect(client.getQueryData(other)).toEqual(keyPages([[apiKeyOf(1)]]));
    const isInvalidated = [active, ended, other].map((key) => client.getQueryState(key)?.isInvalidated);
    expect(isInvalidated).toEqual([true, true, false]);
  });

  it('are not made up before they are loaded', () => {
    const client = new QueryClient();
    applyKeys(client, 'org_1', apiKeyOf(1));
    expect(client.getQueryData(keyListQuery('org_1').queryKey)).toBeUndefined();
  });

  it('come with the new name for all views, and without what was known of the budgets', () => {
    const client = new QueryClient();
    client.setQueryData(activeKeyQuery('org_1', keyIdOf(1)).queryKey, apiKeyOf(1));
    applyKeys(client, 'org_1', apiKeyOf(1, { name: 'renamed' }));

    expect(client.getQueryData(keyNameQuery('org_1', keyIdOf(1)).queryKey)).toEqual({
      id: keyIdOf(1),
      name: 'renamed',
      last_four: 'xxx1',
      state: 'active',
    });
    expect(client.getQueryData(activeKeyQuery('org_1', keyIdOf(1)).queryKey)).toBeUndefined();
  });
});
