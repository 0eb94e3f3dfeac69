import { useState } from 'react';
import { Form } from '#dashboard/components/forms/form.tsx';
import { NameField } from '#dashboard/components/forms/name-form.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import type { KeyDialogProps } from './dialog-props.ts';
import { useKeyChange } from './use-key-change.ts';

export function RenameDialog({ apiKey, open, onClose }: KeyDialogProps) {
  return (
    <Dialog open={open} onOpenChange={(isOpen) => !isOpen && onClose()} title="Rename key">
      <RenameForm apiKey={apiKey} onDone={onClose} />
    </Dialog>
  );
}

function RenameForm({ apiKey, onDone }: { apiKey: ApiKeySummary; onDone: () => void }) {
  const [value, setValue] = useState(apiKey.name);
  const renaming = useKeyChange({
    keyId: apiKey.id,
    message: ({ name }) => `The key is now called ${name}`,
    onDone,
  });
  const name = value.trim();
  return (
    <Form fields={['name']} error={renaming.error} onSubmit={() => renaming.mutate({ name })}>
      <NameField value={value} onValueChange={setValue} emptyMessage="Enter a name" />
      <FormActions onCancel={onDone} pending={renaming.isPending} disabled={name === apiKey.name}>
        Rename
      </FormActions>
    </Form>
  );
}
