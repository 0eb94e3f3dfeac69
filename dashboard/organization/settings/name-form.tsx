import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { patch } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/queries.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/form.tsx';
import { TextField } from '#dashboard/components/text-field.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { checkOrganizationName, maxNameCharacters } from '../name.ts';
import { storeOrganization } from '../stored.ts';

export function NameForm({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const { id } = useOrganization();
  const [value, setValue] = useState(name);
  const newName = value.trim();
  const save = useMutation({
    mutationFn: () => patch<OrganizationDetails>(organizationPath(id), { name: newName }),
    onSuccess: (organization) => {
      storeOrganization(queryClient, organization);
      notifySuccess('The name has been saved');
    },
  });
  return (
    <Form
      fields={['name']}
      error={save.error}
      onSubmit={() => save.mutate()}
      className="flex w-full items-start gap-2 sm:w-80"
    >
      <TextField
        label="Name"
        hiddenLabel
        name="name"
        value={value}
        onValueChange={setValue}
        autoComplete="off"
        maxLength={maxNameCharacters}
        validate={checkOrganizationName}
      />
      <Button type="submit" pending={save.isPending} disabled={newName === name}>
        Save
      </Button>
    </Form>
  );
}
