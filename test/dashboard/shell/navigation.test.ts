import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { NotFound, ViewFailed } from '#dashboard/shell/failed.tsx';
import { Navigation } from '#dashboard/shell/sidebar/navigation.tsx';
import { SidebarNavigation, SidebarTop } from '#dashboard/shell/sidebar/sidebar.tsx';
import { Switcher } from '#dashboard/shell/sidebar/switcher.tsx';
import { findOrganizationView, organizationViews, viewAfterSwitch } from '#dashboard/shell/views.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type Role, roles } from '#lambdas/accounts/permissions.ts';
import { all, names, type RenderedElement, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const acme = (role: Role): OrganizationSummary => ({ id: 'org_1', name: 'Acme', role });

/** The titles and addresses of the links below each heading. */
function groupsOf(navigation: RenderedElement) {
  const links = (list: RenderedElement) => all(list, 'a').map((link) => [textOf(link), link.attributes.href]);
  return all(navigation, 'ul').map((list, index) => [texts(navigation, 'p')[index], links(list)]);
}

function navigationOf(organization: OrganizationSummary | null | undefined, path?: string) {
  return renderOnPage(createElement(Navigation, { organization }), { path });
}

const account = [
  'Your account',
  [
    ['Profile', '/account'],
    ['Security', '/account/security'],
    ['Sign-ins', '/account/sessions'],
  ],
];

describe('The navigation', () => {
  it('leads an owner to every view', async () => {
    const path = (view: string) => `/organizations/org_1/${view}`;
    expect(groupsOf(await navigationOf(acme('owner')))).toEqual([
      [
        'Analytics',
        [
          ['Overview', path('overview')],
          ['Usage', path('usage')],
          ['Logs', path('logs')],
          ['Prompts', path('prompts')],
          ['Sessions', path('sessions')],
          ['Models', path('models')],
        ],
      ],
      [
        'Keys',
        [
          ['API keys', path('keys')],
          ['Budgets and limits', path('budgets')],
          ['Routes', path('routes')],
        ],
      ],
      [
        'Organization',
        [
          ['Billing', path('billing')],
          ['Members', path('members')],
          ['Audit trail', path('audit-trail')],
          ['Organization settings', path('settings')],
        ],
      ],
      account,
    ]);
  });

  it('leads others to all but the audit trail', async () => {
    const all = organizationViews.map(({ title }) => title);
    for (const role of roles) {
      const shown = texts(await navigationOf(acme(role)), 'a').slice(0, -3);
      expect(shown.toSorted()).toEqual(
        all.filter((title) => role === 'owner' || title !== 'Audit trail').toSorted(),
      );
    }
  });

  it('leads people without an organization to their start, and to the account alone while that is unknown', async () => {
    expect(groupsOf(await navigationOf(null))).toEqual([
      ['Organization', [['Get started', '/welcome']]],
      account,
    ]);
    expect(groupsOf(await navigationOf(undefined))).toEqual([account]);
  });

  it('keeps the range in links to views that have one, and nothing else', async () => {
    const search = 'range=7d&time_zone=Europe%2FBerlin';
    const navigation = await navigationOf(acme('owner'), `/organizations/org_1/usage?${search}&group=model`);
    const kept = all(navigation, 'a').filter(({ attributes }) => attributes.href?.endsWith(`?${search}`));

    expect(kept.map(textOf)).toEqual(['Overview', 'Usage', 'Logs', 'Prompts', 'Sessions']);
    expect(all(navigation, 'a').filter(({ attributes }) => attributes.href?.includes('group'))).toEqual([]);
  });

  it('marks the present view, also with its search', async () => {
    const navigation = await navigationOf(acme('owner'), '/organizations/org_1/logs?range=7d');
    expect(texts(navigation, '[aria-current=page]')).toEqual(['Logs']);
    expect(texts(await navigationOf(null, '/account'), '[aria-current=page]')).toEqual(['Profile']);
  });
});

describe('The sidebar', () => {
  const list = (data: OrganizationSummary[]) =>
    [organizationListQuery.queryKey, { object: 'list', data, can_create: false }] as const;

  it('has the switcher of organizations, or the product’s name for people without any', async () => {
    const top = createElement(SidebarTop);
    expect(names(await renderOnPage(top, { loaded: [list([acme('viewer')])] }), 'button')).toEqual([
      'Organization: Acme',
    ]);
    expect(texts(await renderOnPage(top, { loaded: [list([])] }), 'a')).toEqual(['AI gateway']);
    expect(textOf(await renderOnPage(top))).toBe('');
  });

  it('has the navigation of the organization, and says that it is loading', async () => {
    const navigation = createElement(SidebarNavigation);
    expect(texts(await renderOnPage(navigation, { loaded: [list([acme('viewer')])] }), 'a')).toHaveLength(15);
    expect(texts(await renderOnPage(navigation), '[aria-busy=true]')).toEqual(['Loading…']);
  });
});

describe('The rail of icons', () => {
  const rail = (isRail: boolean) =>
    renderOnPage(createElement(Navigation, { organization: acme('viewer'), rail: isRail }));

  it('has a hint and a name for each view', async () => {
    const shown = await rail(true);
    expect(all(shown, '[data-base-ui-tooltip-trigger]').map(textOf)).toEqual(texts(shown, 'a'));
    expect(texts(shown, 'a')).toContain('API keys');
  });

  it('has none beside titles that can be seen', async () => {
    expect(all(await rail(false), '[data-base-ui-tooltip-trigger]')).toEqual([]);
  });
});

describe('A page without a view', () => {
  it('leads to the start from an address that does not exist', async () => {
    const page = await renderOnPage(createElement(NotFound));
    expect(texts(page, 'h1')).toEqual(['Page not found']);
    expect(all(page, 'a').map((link) => [textOf(link), link.attributes.href])).toEqual([
      ['Go to the start', '/'],
    ]);
  });

  it('can be loaded again after it has failed', async () => {
    const page = await renderOnPage(createElement(ViewFailed));
    expect([texts(page, 'h1'), texts(page, 'button')]).toEqual([['Something went wrong'], ['Reload']]);
  });
});

describe('Switching the organization', () => {
  it.each([
    ['/organizations/$organizationId/members', 'viewer', '/organizations/$organizationId/members'],
    ['/organizations/$organizationId/audit-trail', 'owner', '/organizations/$organizationId/audit-trail'],
    ['/organizations/$organizationId/audit-trail', 'admin', '/organizations/$organizationId/overview'],
    ['/organizations/$organizationId/logs/$logId', 'owner', '/organizations/$organizationId/overview'],
    ['/account/security', 'owner', '/organizations/$organizationId/overview'],
    [undefined, 'owner', '/organizations/$organizationId/overview'],
  ] as const)('leads from %s as %s to %s', (path, role, expected) => {
    expect(viewAfterSwitch(path, role)).toBe(expected);
  });

  it('finds views by their paths', () => {
    expect(organizationViews.map(({ to }) => findOrganizationView(to)?.to)).toEqual(
      organizationViews.map(({ to }) => to),
    );
    expect(findOrganizationView('/organizations/org_1/keys')).toBeUndefined();
  });

  it('is offered by a button with the name of the present one', async () => {
    const organizations = { object: 'list' as const, data: [acme('owner')], can_create: true };
    const switcher = await renderOnPage(createElement(Switcher, { current: acme('owner'), organizations }));
    expect(names(switcher, '[aria-haspopup=menu]')).toEqual(['Organization: Acme']);
  });
});
