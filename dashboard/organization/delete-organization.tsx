import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { Row } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { applyRemovedOrganization } from './apply-organization.ts';

export function DeleteOrganization() {
  const { name } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  return (
    <Row label="Delete organization" description="Revokes its keys and ends all members’ access, for good.">
      <Button size="small" variant="danger-quiet" onClick={() => setOpen(true)}>
        Delete organization
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={`Delete ${name}?`}
        description="This cannot be undone."
      >
        <DeleteForm onCancel={() => setOpen(false)} />
      </Dialog>
    </Row>
  );
}

function DeleteForm({ onCancel }: { onCancel: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id, name, ...organization } = useOrganization();
  const deletion = useMutation({
    mutationFn: () => removeIfPresent(organizationPath(id), { name }),
    onSuccess: async () => {
      await applyRemovedOrganization(queryClient, id, () => navigate({ to: '/' }));
      notifySuccess(`${name} has been deleted`);
    },
  });
  return (
    <Form fields={['name']} error={deletion.error} onSubmit={() => deletion.mutateAsync()}>
      <ul className="mb-5 list-disc space-y-1.5 pl-5 text-muted marker:text-control">
        <li>
          All its API keys are revoked. Requests with them are refused within{' '}
          {organization.key_revocation_seconds} seconds.
        </li>
        <li>All members lose access at once, you included.</li>
        <li>
          Log entries stay until they expire, {organization.entry_retention_days} days after each request.
          Totals of requests and costs are kept.
        </li>
      </ul>
      <TextField
        label="Name of the organization"
        description={
          <>
            Type <strong className="font-medium wrap-anywhere text-text select-all">{name}</strong> to
            confirm.
          </>
        }
        name="name"
        autoComplete="off"
        validate={(value) => (value.trim() === name ? null : 'This is not the name of the organization')}
      />
      <FormActions onCancel={onCancel} variant="danger" pending={deletion.isPending || deletion.isSuccess}>
        Delete organization
      </FormActions>
    </Form>
  );
}
