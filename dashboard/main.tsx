import { CSPProvider } from '@base-ui/react/csp-provider';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, isSessionEnded } from '#dashboard/api/client.ts';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { Toasts } from '#dashboard/components/feedback/toast.tsx';
import { keepDrafts } from '#dashboard/components/forms/drafts.ts';
import { preloadViews } from '#dashboard/shell/preload-views.ts';
import { takeReturnPath } from '#dashboard/shell/sign-in-service.ts';
import { createDashboardRouter } from './router.tsx';
import './styles.css';

const queryClient = createQueryClient(showSignIn);
const router = createDashboardRouter(queryClient);

let isLeaving = false;

/** Replaces the view, since going back to it would only lead here again. */
async function showSignIn() {
  const { href, pathname } = router.state.location;
  const [matchedRoutes] = router.getMatchedRoutes(pathname);
  if (isLeaving || matchedRoutes.some(({ options }) => options.staticData?.isPublic)) return;
  isLeaving = true;
  const returnPath = takeReturnPath();
  const session = queryClient.getQueryData(signInSessionQuery.queryKey);
  if (session !== undefined) keepDrafts(session.user.id);
  await (returnPath === null
    ? router.navigate({
        to: '/sign-in',
        search: {
          error: session !== undefined ? 'signed_out' : undefined,
          return_to: href === '/' ? undefined : href,
        },
        replace: true,
      })
    : router.navigate({ href: returnPath, replace: true }));
  queryClient.removeQueries({ type: 'inactive' });
  isLeaving = false;
}

// Moves the focus to the new view's heading, so that keyboards and screen readers continue there, unless a form begins in a field.
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (!fromLocation || !pathChanged || document.querySelector('main form input:focus') !== null) return;
  document.querySelector('h1')?.focus({ preventScroll: true });
});

let isPreloading = false;
queryClient.getQueryCache().subscribe(() => {
  if (isPreloading || queryClient.getQueryData(signInSessionQuery.queryKey) === undefined) return;
  isPreloading = true;
  const views = Object.values(router.routesById).flatMap(({ options }) => options.component ?? []);
  void preloadViews(views, () => queryClient.isFetching() === 0);
});

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);

/** @param onSessionEnded called when a call is refused with 401 */
function createQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionEnded(error)) onSessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Calls fail without a connection, rather than wait for one without a word.
      queries: {
        staleTime: 10_000,
        retry: isRetryable,
        retryDelay: 500,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

function isRetryable(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
