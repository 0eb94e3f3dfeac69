import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { accountQuery, sessionListQuery, signInOptionsQuery } from './api/queries.ts';
import { NotFound } from './shell/not-found.tsx';
import { parseSearch, stringifySearch } from './shell/search.ts';
import { Shell } from './shell/shell.tsx';
import { ViewFailed } from './shell/view-failed.tsx';

interface RouterContext {
  queryClient: QueryClient;
}

/**
 * Renames the error of a file that cannot be loaded. The router would reload the page for the original, and without a
 * connection that is the end of the app.
 */
async function loadView<Module>(view: Promise<Module>): Promise<Module> {
  try {
    return await view;
  } catch (cause) {
    throw new Error('The view could not be loaded', { cause });
  }
}

// Loaders start requests together with the download of the view's code, and do not wait for them.

const rootRoute = createRootRouteWithContext<RouterContext>()();

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({
    error,
    return_to,
  }: Record<string, unknown>): { error?: string; return_to?: string } => ({
    error: typeof error === 'string' ? error : undefined,
    return_to: typeof return_to === 'string' ? return_to : undefined,
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInOptionsQuery),
  component: lazyRouteComponent(() => loadView(import('./sign-in/sign-in-view.tsx')), 'SignInView'),
});

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/account', replace: true });
  },
});

const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  loader: ({ context }) => void context.queryClient.prefetchQuery(accountQuery),
  component: lazyRouteComponent(() => loadView(import('./account/profile/profile-view.tsx')), 'ProfileView'),
});

const securityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account/security',
  loader: ({ context }) => void context.queryClient.prefetchQuery(accountQuery),
  component: lazyRouteComponent(
    () => loadView(import('./account/security/security-view.tsx')),
    'SecurityView',
  ),
});

const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account/sessions',
  loader: ({ context }) => void context.queryClient.prefetchQuery(sessionListQuery),
  component: lazyRouteComponent(
    () => loadView(import('./account/sessions/sessions-view.tsx')),
    'SessionsView',
  ),
});

const notFoundRoute = createRoute({ getParentRoute: () => shellRoute, path: '/$', component: NotFound });

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      startRoute,
      signInRoute,
      shellRoute.addChildren([profileRoute, securityRoute, sessionsRoute, notFoundRoute]),
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
}
