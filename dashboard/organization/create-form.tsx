import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { post } from '#dashboard/api/client.ts';
import { organizationQuery } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { NameField } from '#dashboard/components/forms/name-form.tsx';
import { applyListedOrganization } from './apply-organization.ts';

interface CreateFormProps {
  /** Empty where somebody has to think of one. */
  defaultName?: string;
}

/** Creates an organization, and leads to its overview, which shows the first steps. Enter accepts the name. */
export function CreateForm({ defaultName = '' }: CreateFormProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [value, setValue] = useDraft('organization/name', defaultName);
  const idempotency = useIdempotencyKey();
  const creation = useMutation({
    mutationFn: () =>
      idempotency.send((idempotencyKey) =>
        post('/organizations', { name: value.trim() }, { idempotencyKey }),
      ),
    onSuccess: async (organization) => {
      queryClient.setQueryData(organizationQuery(organization.id).queryKey, organization);
      await navigate({
        to: '/organizations/$organizationId/overview',
        params: { organizationId: organization.id },
        replace: true,
      });
      // Only now, since the welcome view leads elsewhere as soon as the list is not empty.
      applyListedOrganization(queryClient, organization);
      notifySuccess(`${organization.name} has been created`);
    },
  });
  return (
    <Form fields={['name']} error={creation.error} onSubmit={() => creation.mutateAsync()}>
      <NameField
        description="Usually a team or company. You can change it later."
        value={value}
        onValueChange={setValue}
        autoComplete="organization"
        placeholder="Acme Research"
        autoFocus
        // Another name replaces it.
        onFocus={({ currentTarget }) => currentTarget.select()}
        of="organization"
      />
      <div className="mt-5">
        <Button type="submit" variant="primary" pending={creation.isPending || creation.isSuccess}>
          Create organization
        </Button>
      </div>
    </Form>
  );
}
