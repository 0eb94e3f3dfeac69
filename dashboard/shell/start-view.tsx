import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import {
  currentOrganization,
  lastUsedOrganization,
} from '#dashboard/current-organization/use-current-organization.ts';
import type { OrganizationList } from '#lambdas/accounts/organizations/responses.ts';
import { organizationViews } from './views.ts';

/** The address `/`: leads to the organization that was used last. */
export function StartView() {
  const organizations = useQuery(organizationListQuery);
  if (organizations.data) return <Start organizations={organizations.data} />;
  if (!organizations.isError) return <PageSkeleton title={organizationViews[0].title} />;
  return (
    <Page title="Organizations">
      <Card>
        <QueryStatus query={organizations} skeleton={null} />
      </Card>
    </Page>
  );
}

function Start({ organizations }: { organizations: OrganizationList }) {
  const organization = currentOrganization(organizations.data, lastUsedOrganization());
  if (organization === null) return <Navigate to="/welcome" replace />;
  return <Navigate to={organizationViews[0].to} params={{ organizationId: organization.id }} replace />;
}
