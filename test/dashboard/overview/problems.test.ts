import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ProblemLink } from '#dashboard/overview/attention/problem-link.tsx';
import {
  budgetProblems,
  type Problem,
  projectionProblem,
  providerProblems,
  unpricedProblem,
} from '#dashboard/overview/attention/problems.ts';
import type { Projection } from '#lambdas/accounts/analytics/responses.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { only, textOf } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

describe('A budget', () => {
  const budget = (fields: Partial<BudgetSummary>) =>
    ({
      api_key_id: null,
      api_key_name: null,
      period: 'month',
      hard: false,
      refused_requests: 0,
      ...fields,
    }) as BudgetSummary;
  const found = (fields: Partial<BudgetSummary>) =>
    budgetProblems([budget(fields)], 'Acme').map(({ title, isUrgent }) => [title, isUrgent]);

  it('is a problem from 80 % on, and an urgent one when it refuses requests', () => {
    expect(found({ spent_percent: 79 })).toEqual([]);
    expect(found({ spent_percent: 90 })).toEqual([['Acme has spent 90% of its monthly budget', false]]);
    expect(found({ spent_percent: 106 })).toEqual([['Acme has spent 106% of its monthly budget', false]]);
    const key = { api_key_id: 'key_1', api_key_name: 'ci', period: 'day', hard: true } as const;
    expect(found({ ...key, spent_percent: 100 })).toEqual([
      ['ci has spent 100% of its daily budget: its requests are refused', true],
    ]);
    // Also one that has spent nothing: each request may cost more than is left.
    expect(found({ ...key, spent_percent: 0, refused_requests: 1 })).toEqual([
      ['1 request was refused by the daily budget of ci: it might have cost more than was left', true],
    ]);
    expect(found({ ...key, spent_percent: 100, refused_requests: 12 })).toEqual([
      ['ci has spent 100% of its daily budget: 12 requests were refused', true],
    ]);
  });
});

describe('A projection', () => {
  const projection = (projected_usd: string | null, projected_percent: number | null) =>
    projectionProblem({
      projected_usd,
      budget: { amount_usd: '143', hard: false, projected_percent },
    } as Projection);

  it('is a problem above the budget', () => {
    expect(projection('151.57', 106)?.title).toBe('This month is projected at 106% of its budget');
    expect([projection('143', 100), projection(null, null)]).toEqual([null, null]);
    expect(projectionProblem({ projected_usd: '1', budget: null } as Projection)).toBe(null);
  });
});

describe('A provider', () => {
  const group = (value: string | null, requests: number, errors: number, timeouts = 0) => ({
    value,
    totals: costTotals({ requests, provider_error_requests: errors, timeout_requests: timeouts }),
  });

  it('is a problem with three errors that are a tenth of its requests', () => {
    const groups = [
      group('openai', 100, 9),
      group('google', 2, 2),
      group('anthropic', 40, 3, 1),
      group('mistral', 1234, 617),
      group(null, 10, 10),
    ];

    expect(providerProblems(groups).map(({ title }) => title)).toEqual([
      'mistral fails: 50.0% of 1,234 requests in the last hour',
      'anthropic fails: 10.0% of 40 requests in the last hour',
    ]);
  });

  it('leads to the errors or the timeouts, whichever are more', () => {
    const groups = [group('openai', 10, 4, 3), group('groq', 10, 0, 5)];
    expect(providerProblems(groups).map(({ outcome }) => outcome)).toEqual(['provider_error', 'timeout']);
  });
});

describe('The title of a problem', () => {
  const budget = { api_key_id: 'key_1', api_key_name: 'ci', period: 'day', hard: true, spent_percent: 90 };
  const ofBudget = (refused_requests: number) =>
    budgetProblems([{ ...budget, refused_requests } as BudgetSummary], 'Acme')[0];
  const projected = { projected_usd: '2', budget: { amount_usd: '1', hard: false, projected_percent: 200 } };
  const totals = costTotals({ requests: 3, provider_error_requests: 3 });

  it.each<[string, Problem | null | undefined, string]>([
    ['budget', ofBudget(0), 'budgets'],
    [
      'budget that refuses requests',
      ofBudget(2),
      'logs?range=today&time_zone=UTC&outcome=rejected&error_code=insufficient_quota&api_key_id=key_1',
    ],
    ['projection', projectionProblem(projected as Projection), 'billing'],
    [
      'provider',
      providerProblems([{ value: 'openai', totals }])[0],
      'usage?range=1h&time_zone=UTC&provider=openai&group=error_code',
    ],
    ['request without a price', unpricedProblem(costTotals({ unpriced_requests: 1 })), 'models'],
  ])('leads to where it can be understood: of a %s', async (_case, problem, target) => {
    const found = problem ?? expect.fail('no problem');
    const link = only(await renderOnPage(createElement(ProblemLink, { problem: found })), 'a');
    expect([textOf(link), link.attributes.href]).toEqual([found.title, `/organizations/org_1/${target}`]);
  });
});
