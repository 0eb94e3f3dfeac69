import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { StatementView } from '#dashboard/billing/statement-view.tsx';
import { all, names, render } from '../rendering/markup.ts';

it('A statement offers the other months, but not on paper', async () => {
  const root = createRootRoute();
  const shell = createRoute({ getParentRoute: () => root, id: 'shell' });
  const path = '/organizations/$organizationId/billing/statements/$month';
  const statement = createRoute({ getParentRoute: () => shell, path, component: StatementView });
  const router = createRouter({
    routeTree: root.addChildren([shell.addChildren([statement])]),
    history: createMemoryHistory({ initialEntries: ['/organizations/org_1/billing/statements/2026-10'] }),
  });
  await router.load();
  const view = createElement(RouterProvider, { router: router as never });
  const page = render(createElement(QueryClientProvider, { client: new QueryClient() }, view));

  const [onScreen] = all(page, '.print\\:hidden').filter((part) => all(part, 'button').length > 0);
  expect(names(page, 'button')).toEqual(['MonthOctober 2026']);
  expect(onScreen && names(onScreen, 'button')).toEqual(['MonthOctober 2026']);
});
