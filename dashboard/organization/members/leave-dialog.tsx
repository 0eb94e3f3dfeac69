import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { Dialog, DialogActions, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Member } from '#lambdas/accounts/organizations/responses.ts';
import { applyRemovedOrganization } from '../apply-organization.ts';
import { isLastOwner } from '../roles.ts';
import type { KeysChoice } from './removals.tsx';
import { KeysField, keysSuffix } from './remove-dialog.tsx';

interface LeaveDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  members: readonly Member[];
}

/** Ends the user's own membership. Tells the last owner why that is not possible. */
export function LeaveDialog({ open, onOpenChange, members }: LeaveDialogProps) {
  const { name } = useOrganization();
  const user = members.find(({ current }) => current);
  const onClose = () => onOpenChange(false);
  if (user === undefined) return null;
  if (isLastOwner(members, user)) {
    return (
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={`You cannot leave ${name} yet`}
        description="You are its only owner, and an organization needs one. First make another member an owner, or delete the organization in its settings."
      >
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Got it
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Leave ${name}?`}
      description="You lose access at once, and can return only with a new invitation."
    >
      <LeaveForm user={user} onCancel={onClose} />
    </Dialog>
  );
}

function LeaveForm({ user, onCancel }: { user: Member; onCancel: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id: organizationId, name } = useOrganization();
  const [keys, setKeys] = useState<KeysChoice>('revoke');
  const leaving = useMutation({
    mutationFn: () =>
      removeIfPresent(organizationPath(organizationId, `/members/${encodeURIComponent(user.id)}`), { keys }),
    onSuccess: async () => {
      await applyRemovedOrganization(queryClient, organizationId, () => navigate({ to: '/' }));
      notifySuccess(`You have left ${name}`);
    },
  });
  return (
    <Form fields={['keys']} error={leaving.error} onSubmit={() => leaving.mutateAsync()}>
      {user.active_keys > 0 && (
        <KeysField possessive="your" count={user.active_keys} value={keys} onValueChange={setKeys} />
      )}
      <FormActions onCancel={onCancel} variant="danger" pending={leaving.isPending || leaving.isSuccess}>
        Leave{keysSuffix(keys, user.active_keys)}
      </FormActions>
    </Form>
  );
}
