import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  analyticsPath,
  callerSessionQuery,
  costsQuery,
  logEntryQuery,
  logsQuery,
  modelListQuery,
  projectionQuery,
  providerListQuery,
  statementQuery,
} from '#dashboard/api/analytics.ts';
import {
  auditRecordsQuery,
  budgetListQuery,
  invitationListQuery,
  memberListQuery,
  organizationListQuery,
  organizationPath,
  organizationQuery,
  rateLimitListQuery,
  reloadLists,
  topBudgetsQuery,
} from '#dashboard/api/organizations.ts';
import {
  accountQuery,
  signInOptionsQuery,
  signInSessionListQuery,
  signInSessionQuery,
} from '#dashboard/api/sign-in.ts';

let client: QueryClient;
let paths: string[];
/** The bodies of the next responses; an empty one after them. */
let bodies: unknown[];
beforeEach(() => {
  client = new QueryClient();
  [paths, bodies] = [[], []];
  vi.stubGlobal('fetch', async (url: string) => {
    paths.push(url.replace('/dashboard/api', ''));
    return Response.json(bodies.shift() ?? {});
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** An id that has to be encoded. */
const id = 'org/1';

describe('A query', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['/sign-in-options', () => client.fetchQuery(signInOptionsQuery)],
    ['/session', () => client.fetchQuery(signInSessionQuery)],
    ['/sessions', () => client.fetchQuery(signInSessionListQuery)],
    ['/account', () => client.fetchQuery(accountQuery)],
    ['/organizations', () => client.fetchQuery(organizationListQuery)],
    ['/organizations/org%2F1', () => client.fetchQuery(organizationQuery(id))],
    ['/organizations/org%2F1/members', () => client.fetchQuery(memberListQuery(id))],
    ['/organizations/org%2F1/invitations', () => client.fetchQuery(invitationListQuery(id))],
    ['/organizations/org%2F1/budgets', () => client.fetchInfiniteQuery(budgetListQuery(id))],
    ['/organizations/org%2F1/budgets?order=spent&limit=3', () => client.fetchQuery(topBudgetsQuery(id, 3))],
    ['/organizations/org%2F1/rate-limits', () => client.fetchInfiniteQuery(rateLimitListQuery(id))],
    ['/organizations/org%2F1/audit-records', () => client.fetchInfiniteQuery(auditRecordsQuery(id))],
    [
      '/analytics/org%2F1/costs?group_by=model&limit=8',
      () => client.fetchQuery(costsQuery(id, { group_by: 'model', limit: 8 })),
    ],
    ['/analytics/org%2F1/logs?status=429', () => client.fetchInfiniteQuery(logsQuery(id, { status: '429' }))],
    ['/analytics/org%2F1/logs/log%2F1', () => client.fetchQuery(logEntryQuery(id, 'log/1'))],
    ['/analytics/org%2F1/session?session_id=a%26b', () => client.fetchQuery(callerSessionQuery(id, 'a&b'))],
    ['/analytics/org%2F1/providers', () => client.fetchQuery(providerListQuery(id))],
    ['/analytics/org%2F1/models', () => client.fetchQuery(modelListQuery(id))],
    ['/analytics/org%2F1/projection', () => client.fetchQuery(projectionQuery(id))],
    ['/analytics/org%2F1/statements/2026-11', () => client.fetchQuery(statementQuery(id, '2026-11'))],
  ])('reads %s', async (path, fetchData) => {
    await fetchData();
    expect(paths).toEqual([path]);
  });

  it('has a key of its own', () => {
    const keys: QueryKey[] = [
      signInOptionsQuery,
      signInSessionQuery,
      signInSessionListQuery,
      accountQuery,
      organizationListQuery,
      ...['org_1', 'org_2'].flatMap((organizationId) => [
        organizationQuery(organizationId),
        memberListQuery(organizationId),
        invitationListQuery(organizationId),
        budgetListQuery(organizationId),
        topBudgetsQuery(organizationId, 3),
        rateLimitListQuery(organizationId),
        auditRecordsQuery(organizationId),
        costsQuery(organizationId, {}),
        costsQuery(organizationId, { model: 'gpt' }),
        logsQuery(organizationId, {}),
        logsQuery(organizationId, { model: 'gpt' }),
        logsQuery(organizationId, {}, '2026-11-23T12:00:00Z'),
        logEntryQuery(organizationId, 'a'),
        logEntryQuery(organizationId, 'b'),
        callerSessionQuery(organizationId, 'a'),
        callerSessionQuery(organizationId, 'b'),
        providerListQuery(organizationId),
        modelListQuery(organizationId),
        projectionQuery(organizationId),
        statementQuery(organizationId, '2026-11'),
        statementQuery(organizationId, '2026-12'),
      ]),
    ].map(({ queryKey }) => queryKey);

    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
    // Leaving an organization removes what is below its key.
    expect(
      keys.slice(5, 26).every(([first, second]) => first === 'organizations' && second === 'org_1'),
    ).toBe(true);
  });
});

describe('A list of pages', () => {
  it.each([
    ['/analytics/org%2F1/logs?model=gpt', '&', () => logsQuery(id, { model: 'gpt' })],
    ['/organizations/org%2F1/audit-records', '?', () => auditRecordsQuery(id)],
    ['/organizations/org%2F1/budgets', '?', () => budgetListQuery(id)],
    ['/organizations/org%2F1/rate-limits', '?', () => rateLimitListQuery(id)],
  ] as const)(
    'of %s continues with the cursor of the page before, up to the last',
    async (path, joint, query) => {
      bodies = [{ next_cursor: 'a/b' }, { next_cursor: null }];
      const { pages } = await client.fetchInfiniteQuery({
        ...(query() as ReturnType<typeof auditRecordsQuery>),
        pages: 5,
      });

      expect(paths).toEqual([path, `${path}${joint}cursor=a%2Fb`]);
      expect(pages).toHaveLength(2);
    },
  );
});

describe('A path', () => {
  it('of an organization has its id and the resource', () => {
    expect(organizationPath('org_1')).toBe('/organizations/org_1');
    expect(organizationPath('a?b', '/keys')).toBe('/organizations/a%3Fb/keys');
  });

  it('of analytics leaves out parameters that are not set, or empty', () => {
    const parameters = { model: 'a b', user_id: '', start: undefined, limit: 0, compare: 'previous' };
    expect(analyticsPath('org_1', '/costs', parameters)).toBe(
      '/analytics/org_1/costs?model=a+b&limit=0&compare=previous',
    );
    expect(analyticsPath('org_1', '/models')).toBe('/analytics/org_1/models');
  });
});

describe('Figures that change', () => {
  it('are read again every minute, and shown until the new ones arrive', () => {
    const { refetchInterval, placeholderData } = costsQuery('org_1', {});
    expect([refetchInterval, typeof placeholderData]).toEqual([60_000, 'function']);
    expect(projectionQuery('org_1').refetchInterval).toBe(60_000);
  });

  it('stay as they are where they hardly change', () => {
    const ages = [
      signInSessionQuery,
      organizationListQuery,
      providerListQuery('org_1'),
      modelListQuery('org_1'),
      signInOptionsQuery,
    ];
    expect(ages.map(({ staleTime }) => staleTime)).toEqual([60_000, 60_000, 60_000, 300_000, Infinity]);
  });
});

describe('Reloading the lists of an organization', () => {
  it('invalidates all below it, but neither itself nor others', async () => {
    const queries = [
      organizationListQuery,
      organizationQuery('org_1'),
      memberListQuery('org_1'),
      budgetListQuery('org_1'),
      memberListQuery('org_2'),
    ];
    for (const { queryKey } of queries) client.setQueryData(queryKey, {} as never);

    await reloadLists(client, 'org_1');

    expect(queries.map(({ queryKey }) => client.getQueryState(queryKey)?.isInvalidated)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});
