import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ParsedLocation,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { logEntryQuery, modelListQuery, statementQuery } from '#dashboard/api/analytics.ts';
import { keyDetailsQuery, keyListQuery } from '#dashboard/api/keys.ts';
import {
  auditRecordsQuery,
  budgetListQuery,
  memberListQuery,
  organizationListQuery,
  organizationQuery,
  rateLimitListQuery,
} from '#dashboard/api/organizations.ts';
import { routeListQuery } from '#dashboard/api/routes.ts';
import {
  accountQuery,
  signInOptionsQuery,
  signInSessionListQuery,
  signInSessionQuery,
} from '#dashboard/api/sign-in.ts';
import { isAllTime, parseAuditSearch } from '#dashboard/audit-trail/search.ts';
import { parseBillingSearch } from '#dashboard/billing/months.ts';
import { loadCode } from '#dashboard/components/load-code.ts';
import { lastUsedOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { parseLogsSearch } from '#dashboard/filters/logs-search.ts';
import { parseKeysSearch } from '#dashboard/keys/search.ts';
import { parseModelsSearch } from '#dashboard/models/search.ts';
import { OrganizationFrame } from '#dashboard/organization/frame.tsx';
import { loadOverview } from '#dashboard/overview/queries.ts';
import { loadPersonTimeZone } from '#dashboard/range/person-zone.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import { isTimeZone } from '#dashboard/range/zone.ts';
import { NotFound, ViewFailed } from '#dashboard/shell/failed.tsx';
import { parseListSearch, parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { Shell } from '#dashboard/shell/shell.tsx';
import { StartView } from '#dashboard/shell/start-view.tsx';
import { parseUsageSearch } from '#dashboard/usage/search.ts';

interface RouterContext {
  queryClient: QueryClient;
}

/** A link shows the same times to everybody: without a zone, it gets that of the person who opens it. */
async function addTimeZone({ context, location }: { context: RouterContext; location: ParsedLocation }) {
  const search: Record<string, unknown> = { ...location.search };
  if (isTimeZone(search.time_zone)) return;
  const timeZone = await loadPersonTimeZone(context.queryClient);
  const href = location.pathname + stringifySearch({ ...search, time_zone: timeZone });
  throw redirect({ href, replace: true });
}

/** The component of a route, whose code is loaded with the first visit or ahead. */
function lazyView<Module extends Record<Name, RouteComponent>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadCode<Record<Name, RouteComponent>>(load), name);
}

// Loaders start requests together with the download of the view's code, and do not wait for them.

const rootRoute = createRootRouteWithContext<RouterContext>()();

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  staticData: { isPublic: true },
  validateSearch: ({
    error,
    return_to,
  }: Record<string, unknown>): { error?: string; return_to?: string } => ({
    error: typeof error === 'string' ? error : undefined,
    return_to: typeof return_to === 'string' ? return_to : undefined,
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInOptionsQuery),
  component: lazyView(() => import('#dashboard/sign-in/sign-in-view.tsx'), 'SignInView'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitations/$token',
  staticData: { isPublic: true },
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInSessionQuery),
  component: lazyView(
    () => import('#dashboard/organization/invitation/invitation-view.tsx'),
    'InvitationView',
  ),
});

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(signInSessionQuery);
    void context.queryClient.prefetchQuery(organizationListQuery);
  },
  component: Shell,
});

const overviewView = lazyView(() => import('#dashboard/overview/overview-view.tsx'), 'OverviewView');

const startRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  loader: ({ context: { queryClient } }) => {
    // Most probably the next view.
    void overviewView.preload?.();
    const organizationId = lastUsedOrganization();
    if (organizationId === null) return;
    void queryClient.prefetchQuery(organizationQuery(organizationId));
  },
  component: StartView,
});

const welcomeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/welcome',
  component: lazyView(() => import('#dashboard/organization/welcome-view.tsx'), 'WelcomeView'),
});

const createOrganizationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organizations/new',
  component: lazyView(() => import('#dashboard/organization/create-view.tsx'), 'CreateView'),
});

const organizationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organizations/$organizationId',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(organizationQuery(params.organizationId)),
  component: OrganizationFrame,
});

const organizationStartRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/overview', params, replace: true });
  },
});

const overviewRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/overview',
  beforeLoad: addTimeZone,
  validateSearch: parseRangeSearch,
  loader: ({ context, params, location, preload }) => {
    // Pointing at a link loads the code alone.
    if (!preload)
      loadOverview(context.queryClient, params.organizationId, parseRangeSearch({ ...location.search }));
  },
  component: overviewView,
});

const usageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/usage',
  beforeLoad: addTimeZone,
  validateSearch: parseUsageSearch,
  loader: ({ context, params, location, preload }) => {
    if (preload) return;
    const search = parseUsageSearch({ ...location.search });
    loadCode(() => import('#dashboard/usage/usage-view.tsx')).then(
      ({ loadUsage }) => loadUsage(context.queryClient, params.organizationId, search),
      // The view says that its code could not be loaded.
      () => {},
    );
  },
  component: lazyView(() => import('#dashboard/usage/usage-view.tsx'), 'UsageView'),
});

const logsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/logs',
  beforeLoad: addTimeZone,
  validateSearch: parseLogsSearch,
  component: lazyView(() => import('#dashboard/logs/logs-view.tsx'), 'LogsView'),
});

const entryRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/logs/$logId',
  beforeLoad: addTimeZone,
  validateSearch: parseLogsSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(logEntryQuery(params.organizationId, params.logId)),
  component: lazyView(() => import('#dashboard/logs/entry-view.tsx'), 'EntryView'),
});

const promptsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/prompts',
  beforeLoad: addTimeZone,
  validateSearch: (search) => parseListSearch(search, 'prompt_id'),
  component: lazyView(() => import('#dashboard/prompts/prompts-view.tsx'), 'PromptsView'),
});

const callerSessionsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/sessions',
  beforeLoad: addTimeZone,
  validateSearch: (search) => parseListSearch(search, 'session_id'),
  component: lazyView(() => import('#dashboard/sessions/sessions-view.tsx'), 'SessionsView'),
});

const modelsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/models',
  validateSearch: parseModelsSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(modelListQuery(params.organizationId)),
  component: lazyView(() => import('#dashboard/models/models-view.tsx'), 'ModelsView'),
});

const billingRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/billing',
  validateSearch: parseBillingSearch,
  component: lazyView(() => import('#dashboard/billing/billing-view.tsx'), 'BillingView'),
});

const statementRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/billing/statements/$month',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(statementQuery(params.organizationId, params.month)),
  component: lazyView(() => import('#dashboard/billing/statement-view.tsx'), 'StatementView'),
});

const keysRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/keys',
  validateSearch: parseKeysSearch,
  loader: ({ context, params, location }) =>
    void context.queryClient.prefetchInfiniteQuery(
      keyListQuery(params.organizationId, parseKeysSearch({ ...location.search })),
    ),
  component: lazyView(() => import('#dashboard/keys/keys-view.tsx'), 'KeysView'),
});

const keyRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/keys/$keyId',
  beforeLoad: addTimeZone,
  validateSearch: parseRangeSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(keyDetailsQuery(params.organizationId, params.keyId)),
  component: lazyView(() => import('#dashboard/keys/page/key-page.tsx'), 'KeyPage'),
});

const budgetsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/budgets',
  // Such as a link that opens the form of rate limits.
  validateSearch: ({ set }: Record<string, unknown>): { set?: 'rate-limits' } => ({
    set: set === 'rate-limits' ? set : undefined,
  }),
  loader: ({ context: { queryClient }, params: { organizationId } }) => {
    void queryClient.prefetchInfiniteQuery(budgetListQuery(organizationId));
    void queryClient.prefetchInfiniteQuery(rateLimitListQuery(organizationId));
  },
  component: lazyView(() => import('#dashboard/budgets/budgets-view.tsx'), 'BudgetsView'),
});

const routesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/routes',
  // Such as a link that opens the form of a route.
  validateSearch: ({ set }: Record<string, unknown>): { set?: '1' } => ({
    set: set === '1' ? '1' : undefined,
  }),
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(routeListQuery(params.organizationId)),
  component: lazyView(() => import('#dashboard/routes/routes-view.tsx'), 'RoutesView'),
});

const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/members',
  // Such as a link that opens the form of an invitation.
  validateSearch: ({ invite }: Record<string, unknown>): { invite?: '1' } => ({
    invite: invite === '1' ? '1' : undefined,
  }),
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(memberListQuery(params.organizationId)),
  component: lazyView(() => import('#dashboard/organization/members/members-view.tsx'), 'MembersView'),
});

const auditTrailRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/audit-trail',
  validateSearch: parseAuditSearch,
  loader: ({ context, params, location }) => {
    const search = parseAuditSearch({ ...location.search });
    // Days need the zone of the user, which only the view knows.
    if (!isAllTime(search)) return;
    const { action, actor, target } = search;
    void context.queryClient.prefetchInfiniteQuery(
      auditRecordsQuery(params.organizationId, { action, actor, target }),
    );
  },
  component: lazyView(() => import('#dashboard/audit-trail/audit-trail-view.tsx'), 'AuditTrailView'),
});

const settingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/settings',
  component: lazyView(() => import('#dashboard/organization/settings-view.tsx'), 'SettingsView'),
});

const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  loader: ({ context }) => void context.queryClient.prefetchQuery(accountQuery),
  component: lazyView(() => import('#dashboard/account/profile-view.tsx'), 'ProfileView'),
});

const securityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account/security',
  loader: ({ context }) => void context.queryClient.prefetchQuery(accountQuery),
  component: lazyView(() => import('#dashboard/account/security-view.tsx'), 'SecurityView'),
});

const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account/sessions',
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInSessionListQuery),
  component: lazyView(() => import('#dashboard/account/sign-in-sessions-view.tsx'), 'SessionsView'),
});

const notFoundRoute = createRoute({ getParentRoute: () => shellRoute, path: '/$', component: NotFound });

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      signInRoute,
      invitationRoute,
      shellRoute.addChildren([
        startRoute,
        welcomeRoute,
        createOrganizationRoute,
        organizationRoute.addChildren([
          organizationStartRoute,
          overviewRoute,
          usageRoute,
          logsRoute,
          entryRoute,
          promptsRoute,
          callerSessionsRoute,
          modelsRoute,
          billingRoute,
          statementRoute,
          keysRoute,
          keyRoute,
          budgetsRoute,
          routesRoute,
          membersRoute,
          auditTrailRoute,
          settingsRoute,
        ]),
        profileRoute,
        securityRoute,
        sessionsRoute,
        notFoundRoute,
      ]),
    ]),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: ViewFailed,
    defaultPendingMs: 200,
    defaultPendingMinMs: 0,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
  interface StaticDataRouteOption {
    /** Also for people who are not signed in. */
    isPublic?: boolean;
  }
}
