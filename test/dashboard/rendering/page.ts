import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { OrganizationContext } from '#dashboard/current-organization/use-organization.ts';
import { parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { organizationViews } from '#dashboard/shell/views.ts';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { type RenderedElement, render } from './markup.ts';

export const acme: OrganizationDetails = {
  id: 'org_1',
  name: 'Acme',
  role: 'owner',
  created_at: '2026-11-01T09:00:00.000Z',
  api_base_url: 'https://gateway.example.com',
  entry_retention_days: 90,
  key_revocation_seconds: 60,
  first_key_seen: true,
  models: null,
};

interface PageState {
  organization?: OrganizationDetails;
  /** The data of queries that have been loaded. All others are pending. */
  loaded?: readonly (readonly [QueryKey, unknown])[];
  /** The path of the view. */
  path?: string;
}

/** Renders a part of a view of an organization, for somebody whose time zone is UTC. */
export async function renderOnPage(
  node: ReactNode,
  { organization = acme, loaded = [], path = '/organizations/org_1/overview' }: PageState = {},
): Promise<RenderedElement> {
  const client = new QueryClient();
  for (const [key, data] of loaded) client.setQueryData(key, data);
  const root = createRootRoute();
  const inOrganization = createElement(OrganizationContext, { value: organization }, node);
  const component = () => createElement(TimeZoneContext, { value: 'UTC' }, inOrganization);
  const paths = ['/account', ...organizationViews.map(({ to }) => to)];
  const routes = paths.map((to) => createRoute({ getParentRoute: () => root, path: to, component }));
  const router = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [path] }),
    parseSearch,
    stringifySearch,
  });
  await router.load();
  const view = createElement(RouterProvider, { router: router as never });
  return render(createElement(QueryClientProvider, { client }, view));
}
