import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatches, useParams } from '@tanstack/react-router';
import { ChevronRight, Lock, SearchX } from 'lucide-react';
import { useEffect } from 'react';
import { isNotFound } from '#dashboard/api/client.ts';
import { organizationListQuery, organizationQuery } from '#dashboard/api/organizations.ts';
import { OrganizationAvatar } from '#dashboard/components/avatar.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { rememberOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { OrganizationContext } from '#dashboard/current-organization/use-organization.ts';
import { findOrganizationView } from '#dashboard/shell/views.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { RoleBadge } from './role-badge.tsx';
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

/** An address that is no organization of the user, with a way to those that are. */
function OrganizationNotFound() {
  const list = useQuery(organizationListQuery);
  const organizations = list.data?.data ?? [];
  return (
    <Page title="Organization not found">
      <Card>
        <EmptyState
          icon={SearchX}
          title="This organization does not exist, or you are not a member"
          action={
            organizations.length === 0 && (
              <Link to="/" className={buttonClasses()}>
                Go to the start
              </Link>
            )
          }
        >
          It may have been deleted. If somebody sent you this address, ask them for an invitation.
        </EmptyState>
      </Card>
      {organizations.length > 0 && (
        <Section title="Your organizations">
          <ul>
            {organizations.map((organization) => (
              <li key={organization.id} className="border-line not-first:border-t">
                <OrganizationLink organization={organization} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}

function OrganizationLink({ organization }: { organization: OrganizationSummary }) {
  return (
    <Link
      to="/organizations/$organizationId/overview"
      params={{ organizationId: organization.id }}
      className="flex items-center gap-3.5 px-5 py-3 transition-colors hover:bg-hover"
    >
      <OrganizationAvatar organization={organization} size="medium" />
      <span className="min-w-0 flex-1 wrap-anywhere font-medium">{organization.name}</span>
      <RoleBadge role={organization.role} />
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </Link>
  );
}
