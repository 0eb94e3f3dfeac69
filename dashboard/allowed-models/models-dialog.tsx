import { useMutation, useQueryClient } from '@tanstack/react-query';
import { put } from '#dashboard/api/client.ts';
import { organizationPath, organizationQuery, reloadLists } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { ModelsField } from './models-field.tsx';
import { editableModels, type ModelsOwner, modelsOf } from './patterns.ts';

interface ModelsDialogProps {
  owner: ModelsOwner;
  open: boolean;
  onClose: () => void;
}

/** Changes the models that the organization or a key may use. */
export function ModelsDialog({ owner, open, onClose }: ModelsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Change allowed models"
      description={
        <>
          Those of{' '}
          <strong className="font-medium text-text">
            <bdi>{owner.name}</bdi>
          </strong>
          {owner.keyId === null
            ? ', for all its keys. A request must also fit the list of its key.'
            : '. A request must also fit the list of the organization.'}
        </>
      }
    >
      <ModelsForm owner={owner} onDone={onClose} />
    </Dialog>
  );
}

export function ModelsForm({ owner, onDone }: { owner: ModelsOwner; onDone: () => void }) {
  const queryClient = useQueryClient();
  const { id: organizationId, key_revocation_seconds: seconds } = useOrganization();
  const [entered, setEntered] = useDraft('allowed-models/list', editableModels(owner.models));
  const change = useMutation({
    mutationFn: () => {
      const body = { api_key_id: owner.keyId, models: modelsOf(entered) };
      return put(organizationPath(organizationId, '/model-access'), body);
    },
    onSuccess: async ({ models }) => {
      if (owner.keyId === null) {
        queryClient.setQueryData(
          organizationQuery(organizationId).queryKey,
          (organization) => organization && { ...organization, models },
        );
      }
      await reloadLists(queryClient, organizationId);
      // Requests read them together with their key.
      notifySuccess(`The allowed models are changed, and take effect within ${seconds} seconds`);
      onDone();
    },
  });
  return (
    <Form fields={['models']} error={change.error} onSubmit={() => change.mutateAsync()}>
      <div className="flex flex-col gap-5">
        <ModelsField value={entered} onValueChange={setEntered} />
      </div>
      <FormActions onCancel={onDone} pending={change.isPending}>
        Change allowed models
      </FormActions>
    </Form>
  );
}
