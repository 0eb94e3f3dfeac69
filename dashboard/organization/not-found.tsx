import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, SearchX } from 'lucide-react';
import { organizationListQuery } from '#dashboard/api/queries.ts';
import { OrganizationAvatar } from '#dashboard/components/avatar.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { RoleBadge } from './role-badge.tsx';

/** An address that is no organization of the user, with a way to those that are. */
export function OrganizationNotFound() {
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
