import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { routeActivityQuery, routeListQuery } from '#dashboard/api/routes.ts';
import { Activity, activityText } from '#dashboard/routes/activity.tsx';
import { Consequence } from '#dashboard/routes/remove-dialog.tsx';
import { Routes } from '#dashboard/routes/routes-view.tsx';
import { targetRows } from '#dashboard/routes/target-table.tsx';
import type { RouteActivity } from '#lambdas/accounts/analytics/responses.ts';
import type { OrganizationDetails, RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, names, textOf, texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';
import { routeOfAcme } from './route-summary.ts';

const ofOperator = routeOfAcme({
  owner: 'operator',
  strategy: 'price',
  targets: [{ model: 'demo/demo-1' }],
});

const activity: RouteActivity = {
  since: '2026-11-23T11:00:00.000Z',
  until: '2026-11-23T12:00:00.000Z',
  complete: true,
  requests: 1234,
  failed_requests: 5,
  targets: [
    { model: 'openai/gpt-4o-mini', attempts: 1234, failures: 51, skips: 12, cost_usd: 1.234 },
    { model: 'openai/gpt-4o', attempts: 3, failures: 0, skips: 0, cost_usd: 0.0000012 },
  ],
};

const loadedActivity = [routeActivityQuery('org_1', 'fast').queryKey, activity] as const;

function viewOf(data: RouteSummary[], role: OrganizationDetails['role'] = 'admin') {
  return renderOnPage(createElement(Routes, { isSettingByLink: false, onLinkDone: () => {} }), {
    organization: { ...acme, role },
    loaded: [[routeListQuery('org_1').queryKey, { object: 'list', data }]],
  });
}

describe('The list of routes', () => {
  it('has the name to copy, the strategy, the owner and the targets in order', async () => {
    const shown = await viewOf([routeOfAcme(), { ...ofOperator, overridden: true }]);
    expect(texts(shown, 'h2')).toEqual(['route/fast', 'route/fast']);
    expect(texts(shown, 'li')).toEqual([
      'route/fastIn orderopenai/gpt-4o-minianthropic/claude-haiku-4-5Test',
      `route/fastCheapest firstFrom the operatorOverridden${ofOperator.targets[0]?.model}`,
    ]);
    expect(names(shown, 'button')).toEqual([
      'Set route',
      'route/fast',
      'Copy the name route/fast',
      'Test route/fast',
      'Actions for route/fast',
      'route/fast',
      'Copy the name route/fast',
    ]);
  });

  it('lets nobody change the routes of the operator, and everybody test them', async () => {
    expect(names(await viewOf([ofOperator], 'owner'), '[aria-haspopup=menu]')).toEqual([]);
    expect(names(await viewOf([ofOperator], 'viewer'), 'button')).toContain('Test route/fast');
  });

  it('lets only those change it who may', async () => {
    const shown = await viewOf([routeOfAcme()], 'member');
    expect(names(shown, '[aria-haspopup=menu]')).toEqual([]);
    expect(names(shown, 'button')).not.toContain('Set route');
  });

  it('without any says what they are for, or who may set them', async () => {
    expect(textOf(await viewOf([]))).toContain('No routes yetRequests use a route as the model route/NAME.');
    expect(textOf(await viewOf([], 'viewer'))).toContain('Admins of this organization can set routes');
  });
});

describe('The last hour of a route', () => {
  it('has the attempts, failures, skips and cost of each target', async () => {
    const shown = await renderOnPage(createElement(Activity, { route: routeOfAcme() }), {
      loaded: [loadedActivity],
    });
    expect(texts(shown, '[role=status]')).toEqual([
      '1,234 requests in the last hour, of which 5 failed. Show in logs',
    ]);
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/logs?range=1h&route=fast',
    ]);
    expect(texts(shown, 'tr')).toEqual([
      'TargetAttemptsFailuresSkipsCost',
      '1. openai/gpt-4o-mini1,2345112$1.23',
      '2. anthropic/claude-haiku-4-5000$0.00',
      'openai/gpt-4ono target any more300$0.0000012',
    ]);
  });

  it('that is loading shows the targets without figures', async () => {
    const shown = await renderOnPage(createElement(Activity, { route: routeOfAcme() }));
    expect(texts(shown, 'tr')[1]).toBe('1. openai/gpt-4o-mini––––');
    expect(all(shown, '[aria-busy=true]')).toHaveLength(1);
  });

  it('is stated in words', () => {
    expect(activityText({ ...activity, requests: 0 })).toBe('No requests in the last hour.');
    expect(activityText({ ...activity, requests: 1, failed_requests: 0 })).toBe(
      '1 request in the last hour, of which none failed.',
    );
    expect(activityText({ ...activity, complete: false })).toContain('there were more than are read');
  });

  it('counts the attempts of a model once, although two targets have it', () => {
    const targets = [
      { model: 'openai/gpt-4o-mini', weight: 3 },
      { model: 'openai/gpt-4o-mini', parameters: { temperature: 0 }, first_event_seconds: 5 },
    ];
    const rows = targetRows(
      { targets, strategy: 'weight' },
      { ...activity, targets: activity.targets.slice(0, 1) },
    );
    expect(rows.map(({ settings, figures }) => [settings, figures?.attempts])).toEqual([
      [['weight 3'], 1234],
      [['weight 1', 'temperature: 0', 'first event within 5 s'], undefined],
    ]);
  });
});

describe('The question whether to remove a route', () => {
  const textFor = async (routes: RouteSummary[], loaded: readonly (typeof loadedActivity)[]) =>
    textOf(await renderOnPage(createElement(Consequence, { route: routeOfAcme(), routes }), { loaded }));

  it('names what will fail, and how many requests used it', async () => {
    expect(await textFor([routeOfAcme()], [loadedActivity])).toBe(
      'Requests with the model route/fast fail within a minute, with the status 400 and the code model_not_found.' +
        '1,234 requests used it in the last hour.',
    );
  });

  it('names the targets of the route of the operator that takes its place', async () => {
    expect(await textFor([routeOfAcme(), { ...ofOperator, overridden: true }], [])).toBe(
      "Requests with the model route/fast use the operator's route of this name within a minute, whose targets are demo/demo-1.",
    );
  });
});
