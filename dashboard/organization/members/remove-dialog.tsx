import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { RadioCards } from '#dashboard/components/forms/radio-cards.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Member } from '#lambdas/accounts/organizations/responses.ts';
import { applyRemoval, type KeysChoice } from './removals.tsx';

interface RemoveDialogProps {
  /** Null closes the dialog. */
  member: Member | null;
  onClose: () => void;
  /** Takes the focus after success, when the button that opened the dialog is gone. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** Removes a member, and asks what happens to the keys. */
export function RemoveDialog({ member, onClose, focusAfter }: RemoveDialogProps) {
  // The content stays while the dialog fades out.
  const shown = useRef(member);
  if (member !== null) shown.current = member;
  const succeeded = useRef(false);
  useEffect(() => {
    if (member !== null) succeeded.current = false;
  }, [member]);
  const name = shown.current?.name ?? shown.current?.email ?? '';
  return (
    <Dialog
      open={member !== null}
      onOpenChange={(open) => !open && onClose()}
      title={`Remove ${name}?`}
      description="They lose access at once, and can return only with a new invitation."
      finalFocus={() => (succeeded.current ? focusAfter.current : true)}
    >
      {shown.current && (
        <RemoveForm
          member={shown.current}
          onCancel={onClose}
          onDone={() => {
            succeeded.current = true;
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

interface RemoveFormProps {
  member: Member;
  onCancel: () => void;
  onDone: () => void;
}

function RemoveForm({ member, onCancel, onDone }: RemoveFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const [keys, setKeys] = useState<KeysChoice>('revoke');
  const name = member.name ?? member.email;
  const removal = useMutation({
    mutationFn: () =>
      removeIfPresent(organizationPath(organizationId, `/members/${encodeURIComponent(member.id)}`), {
        keys,
      }),
    onSuccess: () => {
      applyRemoval(queryClient, organizationId, member, keys);
      notifySuccess(`${name} has been removed`);
      onDone();
    },
  });
  return (
    <Form fields={['keys']} error={removal.error} onSubmit={() => removal.mutateAsync()}>
      {member.active_keys > 0 && (
        <KeysField possessive="their" count={member.active_keys} value={keys} onValueChange={setKeys} />
      )}
      <FormActions onCancel={onCancel} variant="danger" pending={removal.isPending}>
        Remove{keysSuffix(keys, member.active_keys)}
      </FormActions>
    </Form>
  );
}

interface KeysFieldProps {
  /** For the keys of another member, or of the user. */
  possessive: 'their' | 'your';
  count: number;
  value: KeysChoice;
  onValueChange: (value: KeysChoice) => void;
}

/** Asks whether active keys are revoked or kept. */
export function KeysField({ possessive, count, value, onValueChange }: KeysFieldProps) {
  return (
    <RadioCards
      label={`What happens to ${possessive} ${countKeys(count, 'active ')}?`}
      name="keys"
      value={value}
      onValueChange={onValueChange}
      options={[
        {
          value: 'revoke',
          label: 'Revoke',
          description: 'They are refused within two minutes. This cannot be undone.',
        },
        {
          value: 'keep',
          label: 'Keep active',
          description: `They stay listed under ${possessive} name, marked as left. Admins can revoke them later.`,
        },
      ]}
    />
  );
}

/** Returns the end of a button's label, such as "and revoke 3 keys"; empty without keys. */
export function keysSuffix(choice: KeysChoice, count: number): string {
  return count === 0 ? '' : ` and ${choice} ${countKeys(count)}`;
}

function countKeys(count: number, adjective = ''): string {
  return `${formatCount(count)} ${adjective}${count === 1 ? 'key' : 'keys'}`;
}
