import type { UseQueryResult } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OverviewView } from '#dashboard/overview/overview-view.tsx';
import { SpendByModel } from '#dashboard/overview/panels/spend-by-model.tsx';
import { TopGroups } from '#dashboard/overview/panels/top-groups.tsx';
import { overviewQuery, topGroupsQuery } from '#dashboard/overview/queries.ts';
import { Tiles } from '#dashboard/overview/tiles.tsx';
import { resolveRange } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, textOf, texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';

const now = new Date('2026-11-23T12:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const withoutRequests: CostReport = {
  window: { start: null, end: null, rounded_to: null },
  time_zone: 'UTC',
  complete_until: now.toISOString(),
  max_percentile_error: 0.19,
  totals: costTotals(),
  previous: null,
  group_by: 'model',
  groups: [],
  other: null,
  interval: 'day',
  series: [],
};

const range = resolveRange({ time_zone: 'UTC' }, now);
const loaded = [
  [overviewQuery('org_1', range).queryKey, withoutRequests],
  ...(['api_key', 'prompt_id', 'user_id'] as const).map(
    (group) => [topGroupsQuery('org_1', range, group).queryKey, withoutRequests] as const,
  ),
] as const;

const path = '/organizations/org_1/overview?time_zone=UTC';

async function paragraphs(firstKeySeen: boolean) {
  const organization = { ...acme, first_key_seen: firstKeySeen };
  return texts(await renderOnPage(createElement(OverviewView), { organization, loaded, path }), 'p');
}

describe('The lists of the overview', () => {
  it('lead to all groups, not only the first', async () => {
    const groups = await renderOnPage(
      createElement(TopGroups, { group: 'user_id', title: 'Top users', isHeld: false }),
      {
        loaded,
        path,
      },
    );
    expect(all(groups, 'a').map((link) => [textOf(link), link.attributes.href])).toEqual([
      ['All users', '/organizations/org_1/usage?time_zone=UTC&compare=previous&group=user_id&top=100'],
    ]);
  });
});

describe('The links of the overview to the usage', () => {
  it('carry its comparison', async () => {
    const groups = [{ value: 'ada', totals: costTotals({ requests: 1, cost_usd: '1' }) }];
    const week = resolveRange({ range: 'week', time_zone: 'UTC' }, now);
    const users = { ...withoutRequests, group_by: 'user_id' as const, groups };
    const query = { data: users, isError: false } as UseQueryResult<CostReport>;
    const shown = await renderOnPage(
      [
        createElement(TopGroups, { key: 1, group: 'user_id', title: 'Top users', isHeld: false }),
        createElement(SpendByModel, { key: 2, query, isOld: false }),
        createElement(Tiles, { key: 3, query, isOld: false }),
      ],
      {
        loaded: [[topGroupsQuery('org_1', week, 'user_id').queryKey, users]],
        path: '/organizations/org_1/overview?range=week&time_zone=UTC',
      },
    );
    const searches = all(shown, 'a').map(({ attributes }) => attributes.href?.split('/usage?')[1]);
    expect(searches.slice(0, 4)).toEqual([
      'range=week&time_zone=UTC&compare=week&group=user_id&top=100',
      'range=week&time_zone=UTC&compare=week&user_id=ada&group=model',
      'range=week&time_zone=UTC&compare=week',
      'range=week&time_zone=UTC&compare=week&metric=cost',
    ]);
  });
});

describe('The overview of an organization without requests in the range', () => {
  it('is loading until it is known whether there have been any', async () => {
    const shown = await paragraphs(true);

    expect(shown[0]).toMatch(/^Last 30 days, compared with as much time before/);
    expect(shown).not.toContain('No requests in this range');
  });

  it('leads to the first request at once where nobody has seen a key', async () => {
    await import('#dashboard/overview/first-request/first-request.tsx');
    await vi.waitFor(
      async () => expect((await paragraphs(false))[0]).toBe('Three steps to the first request of Acme.'),
      { timeout: 30_000 },
    );
  });
});
