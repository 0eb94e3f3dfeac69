import { useQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useParams } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useEffect } from 'react';
import { isNotFound } from '#dashboard/api/client.ts';
import { organizationQuery } from '#dashboard/api/queries.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { rememberOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { OrganizationContext } from '#dashboard/current-organization/use-organization.ts';
import { findOrganizationView } from '#dashboard/shell/views.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { OrganizationNotFound } from './not-found.tsx';
import { withArticle } from './roles.ts';

/** Loads the organization for its views, which get it with `useOrganization`. */
export function OrganizationFrame() {
  const { organizationId } = useParams({ from: '/shell/organizations/$organizationId' });
  const view = findOrganizationView(useMatches({ select: (matches) => matches.at(-1)?.fullPath }));
  const organization = useQuery(organizationQuery(organizationId));
  const loadedId = organization.data?.id;
  useEffect(() => {
    if (loadedId !== undefined) rememberOrganization(loadedId);
  }, [loadedId]);

  const title = view?.title ?? 'Organization';
  // Also when it has been deleted, or the user removed, since it was loaded.
  if (isNotFound(organization.error)) return <OrganizationNotFound />;
  if (organization.data === undefined) {
    if (!organization.isError) return <PageSkeleton title={title} />;
    return (
      <Page title={title}>
        <Card>
          <QueryStatus query={organization} skeleton={null} />
        </Card>
      </Page>
    );
  }
  if (view && !isAllowed(organization.data.role, view.permission)) {
    return (
      <Page title={title}>
        <Card>
          <EmptyState icon={Lock} title="Your role does not include this">
            You are {withArticle(organization.data.role)} of {organization.data.name}. Ask an owner if you
            need more.
          </EmptyState>
        </Card>
      </Page>
    );
  }
  return (
    // The state of a view, such as an open dialog, belongs to one organization.
    <OrganizationContext key={organizationId} value={organization.data}>
      <Outlet />
    </OrganizationContext>
  );
}
