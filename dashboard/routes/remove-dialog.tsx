import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { reloadLists } from '#dashboard/api/organizations.ts';
import { routeActivityQuery, routePath } from '#dashboard/api/routes.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { formatRequests } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { modelOf } from './words.ts';

interface RemoveDialogProps {
  /** Null closes the dialog. */
  route: RouteSummary | null;
  /** All that are listed: the operator may have one of the same name. */
  routes: readonly RouteSummary[];
  onClose: () => void;
  focusAfter: RefObject<HTMLElement | null>;
}

export function RemoveDialog({ route, routes, onClose, focusAfter }: RemoveDialogProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const removeRoute = async (removed: RouteSummary) => {
    await removeIfPresent(routePath(organizationId, removed.name));
    await reloadLists(queryClient, organizationId);
    notifySuccess(`${modelOf(removed)} is removed`);
  };
  return (
    <ConfirmDialog
      subject={route}
      onClose={onClose}
      title="Remove this route?"
      description={(removed) => <Consequence route={removed} routes={routes} />}
      confirmLabel="Remove route"
      confirm={removeRoute}
      focusAfter={focusAfter}
    />
  );
}

/** Says what happens to the requests that name the route, and how many did lately. */
export function Consequence({ route, routes }: { route: RouteSummary; routes: readonly RouteSummary[] }) {
  const { id: organizationId } = useOrganization();
  const { data: activity } = useQuery(routeActivityQuery(organizationId, route.name));
  const successor = routes.find(({ name, owner }) => name === route.name && owner === 'operator');
  return (
    <>
      Requests with the model{' '}
      <strong className="font-medium wrap-anywhere text-text">{modelOf(route)}</strong>{' '}
      {successor
        ? `use the operator's route of this name within a minute, whose targets are ${successor.targets.map(({ model }) => model).join(', ')}.`
        : 'fail within a minute, with the status 400 and the code model_not_found.'}
      {activity && (
        <span className="mt-2 block">
          {activity.requests === 0
            ? 'No request has used it in the last hour.'
            : `${activity.complete ? '' : 'At least '}${formatRequests(activity.requests)} used it in the last hour.`}
        </span>
      )}
    </>
  );
}
