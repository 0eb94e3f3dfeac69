import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Waypoints } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { routeListQuery } from '#dashboard/api/routes.ts';
import { Button } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { type RouteActions, RouteRow } from './route-row.tsx';

const RouteDialog = lazyComponent(() => import('./editor/route-dialog.tsx'), 'RouteDialog');

const RemoveDialog = lazyComponent(() => import('./remove-dialog.tsx'), 'RemoveDialog');

const TestDialog = lazyComponent(() => import('./test-dialog.tsx'), 'TestDialog');

const viewRoute = getRouteApi('/shell/organizations/$organizationId/routes');

export function RoutesView() {
  const { set } = viewRoute.useSearch();
  const navigate = viewRoute.useNavigate();
  return (
    <Routes
      isSettingByLink={set !== undefined}
      onLinkDone={() => void navigate({ search: {}, replace: true, resetScroll: false })}
    />
  );
}

interface RoutesProps {
  /** Whether the link of the view opens the form. */
  isSettingByLink: boolean;
  /** Called when that form is closed. */
  onLinkDone: () => void;
}

/** The routes of the organization, which it can change, and those of the operator. */
export function Routes({ isSettingByLink, onLinkDone }: RoutesProps) {
  const { id: organizationId, role } = useOrganization();
  const query = useQuery(routeListQuery(organizationId));
  const hasDraft = useHasDraft('route');
  const [chosen, setChosen] = useState<RouteSummary | 'new' | null>(hasDraft ? 'new' : null);
  const [removing, setRemoving] = useState<RouteSummary | null>(null);
  const [testing, setTesting] = useState<RouteSummary | null>(null);
  const list = useRef<HTMLDivElement>(null);

  const maySet = isAllowed(role, 'manage_routing');
  const editing = maySet ? (chosen ?? (isSettingByLink ? 'new' : null)) : null;
  const close = () => {
    setChosen(null);
    if (isSettingByLink) onLinkDone();
  };
  const routes = query.data?.data ?? [];
  const setButton = maySet ? (
    <Button variant="primary" onClick={() => setChosen('new')}>
      <Plus aria-hidden />
      Set route
    </Button>
  ) : null;
  const actionsOf = (route: RouteSummary): RouteActions => ({
    test: route.overridden ? null : () => setTesting(route),
    edit:
      maySet && route.owner === 'organization'
        ? { change: () => setChosen(route), remove: () => setRemoving(route) }
        : null,
  });

  return (
    <Page
      title="Routes"
      description="A name for a list of targets: when one fails before its response begins, the request is sent to the next."
      action={routes.length > 0 && setButton}
    >
      <div ref={list} tabIndex={-1} className="outline-none">
        <Card>
          <QueryPanel query={query} skeleton={<TableSkeleton />}>
            {({ data }) =>
              data.length > 0 ? (
                <ul>
                  {data.map((route) => (
                    <RouteRow key={`${route.owner}/${route.name}`} route={route} actions={actionsOf(route)} />
                  ))}
                </ul>
              ) : (
                <NoRoutes action={setButton} />
              )
            }
          </QueryPanel>
        </Card>
      </div>
      <OnceOpened open={editing !== null}>
        <RouteDialog editing={editing} routes={routes} onClose={close} />
      </OnceOpened>
      <OnceOpened open={removing !== null}>
        <RemoveDialog route={removing} routes={routes} onClose={() => setRemoving(null)} focusAfter={list} />
      </OnceOpened>
      <OnceOpened open={testing !== null}>
        <TestDialog route={testing} onClose={() => setTesting(null)} />
      </OnceOpened>
    </Page>
  );
}

/** @param action the button that sets a route; `null` if the user may not */
function NoRoutes({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={Waypoints} title="No routes yet" action={action}>
      {action
        ? 'Requests use a route as the model route/NAME. Nothing changes for those that name a model.'
        : 'Admins of this organization can set routes, which requests use as the model route/NAME.'}
    </EmptyState>
  );
}
