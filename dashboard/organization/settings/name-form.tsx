import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patch } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/queries.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { NameForm } from '#dashboard/components/forms/name-form.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { emptyNameMessage, storeOrganization } from '../stored.ts';

export function OrganizationName({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const { id } = useOrganization();
  const save = useMutation({
    mutationFn: (newName: string) => patch<OrganizationDetails>(organizationPath(id), { name: newName }),
    onSuccess: (organization) => {
      storeOrganization(queryClient, organization);
      notifySuccess('The name has been saved');
    },
  });
  return (
    <NameForm
      name={name}
      emptyMessage={emptyNameMessage}
      error={save.error}
      isPending={save.isPending}
      onSave={save.mutate}
    />
  );
}
