import { Form } from '#dashboard/components/forms/form.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { ExpiryField } from '../expiry/expiry-field.tsx';
import { dayOf, formatExpiry } from '../expiry/presets.ts';
import { useExpiry } from '../expiry/use-expiry.ts';
import type { KeyDialogProps } from './dialog-props.ts';
import { useKeyChange } from './use-key-change.ts';

export function ExpiryDialog({ apiKey, open, onClose }: KeyDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Change expiry"
      description={
        <>
          <strong className="font-medium text-text">{apiKey.name}</strong>{' '}
          {apiKey.expires_at === null
            ? 'does not expire.'
            : `works until ${formatExpiry(new Date(apiKey.expires_at))}.`}
        </>
      }
    >
      <ExpiryForm apiKey={apiKey} onDone={onClose} />
    </Dialog>
  );
}

function ExpiryForm({ apiKey, onDone }: { apiKey: ApiKeySummary; onDone: () => void }) {
  const { expires_at: present } = apiKey;
  const expiry = useExpiry(
    present === null ? { choice: '30-days', day: '' } : { choice: 'date', day: dayOf(new Date(present)) },
  );
  const change = useKeyChange({
    keyId: apiKey.id,
    message: ({ name, expires_at: expiresAt }) =>
      expiresAt === null
        ? `${name} does not expire any more`
        : `${name} works until ${formatExpiry(new Date(expiresAt))}`,
    onDone,
  });
  return (
    <Form
      fields={expiry.fieldNames}
      error={change.error}
      onSubmit={() => change.mutate({ expires_at: expiry.expiresAt })}
    >
      <ExpiryField {...expiry.field} />
      <FormActions
        onCancel={onDone}
        pending={change.isPending}
        disabled={present === null && expiry.field.value.choice === 'never'}
      >
        {present !== null && expiry.field.value.choice === 'never' ? 'Remove expiry' : 'Change expiry'}
      </FormActions>
    </Form>
  );
}
