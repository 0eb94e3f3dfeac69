import { QueryClient } from '@tanstack/react-query';
import { createElement } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { memberListQuery, removalListQuery } from '#dashboard/api/organizations.ts';
import {
  applyRemoval,
  Removals,
  removalReloadMs,
  removalText,
} from '#dashboard/organization/members/removals.tsx';
import type { Member, MemberRemoval } from '#lambdas/accounts/organizations/responses.ts';
import { all, only, texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const removal: MemberRemoval = {
  id: 'user_1',
  name: 'Ada',
  removed_at: '2026-11-23T12:00:00.000Z',
  revoked_keys: 1230,
  total_keys: 4100,
};
const ada: Member = {
  id: 'user_1',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'member',
  joined_at: '2026-11-01T09:00:00.000Z',
  current: false,
  active_keys: 4100,
};
const grace: Member = { ...ada, id: 'user_2', name: null, email: 'grace@example.com' };

describe('The revocation of a removed member’s keys', () => {
  it.each<[Partial<MemberRemoval>, string]>([
    [{}, 'Revoking the keys of Ada: 1,230 of 4,100'],
    [{ total_keys: null, revoked_keys: 0 }, 'Revoking the keys of Ada'],
    [{ name: null }, 'Revoking the keys of a removed member: 1,230 of 4,100'],
  ])('with %j is "%s"', (fields, text) => {
    expect(removalText({ ...removal, ...fields }, 'en')).toBe(text);
  });

  const shownWith = (data: MemberRemoval[]) =>
    renderOnPage(createElement(Removals), {
      loaded: [[removalListQuery('org_1').queryKey, { object: 'list', data }]],
    });

  it('is announced, and drawn', async () => {
    const shown = await shownWith([removal, { ...removal, id: 'user_2', total_keys: null }]);
    expect(texts(only(shown, '[role=status]'), 'p')).toHaveLength(2);
    expect(all(shown, 'rect').map(({ attributes }) => attributes.width)).toEqual(['30', '0']);
  });

  it('has a place before it begins, and nothing in it', async () => {
    expect(only(await shownWith([]), '[role=status]').children).toEqual([]);
  });
});

describe('The stored lists of members and removals', () => {
  let client: QueryClient;
  const { queryKey } = memberListQuery('org_1');
  const { queryKey: removalsKey } = removalListQuery('org_1');
  const members = () => client.getQueryData(queryKey)?.data;
  const removals = () => client.getQueryData(removalsKey)?.data;
  beforeEach(() => {
    client = new QueryClient();
    client.setQueryData(queryKey, { object: 'list', data: [ada, grace] });
    client.setQueryData(removalsKey, { object: 'list', data: [] });
  });

  it('have a removal at once, instead of the member', () => {
    applyRemoval(client, 'org_1', ada, 'revoke');
    expect(members()).toEqual([grace]);
    expect(removals()).toEqual([
      { ...removal, removed_at: expect.any(String), revoked_keys: 0, total_keys: 4100 },
    ]);
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
    expect(client.getQueryState(removalsKey)?.isInvalidated).toBe(true);
  });

  it('name somebody without a name by the address', () => {
    applyRemoval(client, 'org_1', grace, 'revoke');
    expect(removals()?.map(({ name }) => name)).toEqual(['grace@example.com']);
  });

  it('have no removal if the keys are kept, or there are none', () => {
    applyRemoval(client, 'org_1', ada, 'keep');
    applyRemoval(client, 'org_1', { ...grace, active_keys: 0 }, 'revoke');
    expect([members(), removals()]).toEqual([[], []]);
  });

  it('are read again every three seconds while there are removals', () => {
    const interval = () => removalReloadMs({ state: { data: client.getQueryData(removalsKey) } });
    expect(interval()).toBe(false);
    applyRemoval(client, 'org_1', ada, 'revoke');
    expect(interval()).toBe(3000);
  });
});
