import { useQuery } from '@tanstack/react-query';
import { Building2 } from 'lucide-react';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { CreateForm } from './create-form.tsx';

export function CreateView() {
  const organizations = useQuery(organizationListQuery);
  return (
    <Page
      title="Create organization"
      description="An organization has its own members, API keys, budgets and logs."
    >
      <div className="max-w-xl">
        <Card>
          <QueryPanel query={organizations} skeleton={<Skeleton className="m-6 h-32" />}>
            {({ can_create: canCreate }) =>
              canCreate ? (
                <div className="p-5 sm:p-6">
                  <CreateForm />
                </div>
              ) : (
                <EmptyState icon={Building2} title="You cannot create organizations">
                  The operator of this gateway decides who may. Ask them, or ask for an invitation to an
                  existing organization.
                </EmptyState>
              )
            }
          </QueryPanel>
        </Card>
      </div>
    </Page>
  );
}
