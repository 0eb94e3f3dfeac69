import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { patch } from '#dashboard/api/client.ts';
import { keyPath } from '#dashboard/api/keys.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { NameField } from '#dashboard/components/forms/name-form.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { applyKeys } from '../apply-changes.ts';
import { ExpiryField, useExpiry } from '../expiry-field.tsx';
import { dayOf, formatExpiry } from '../expiry-presets.ts';
import type { ChangeDialogProps } from './key-action.ts';

export function RenameDialog({ apiKey, open, onClose }: ChangeDialogProps) {
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
    <Form fields={['name']} error={renaming.error} onSubmit={() => renaming.mutateAsync({ name })}>
      <NameField value={value} onValueChange={setValue} of="key" />
      <FormActions onCancel={onDone} pending={renaming.isPending} disabled={name === apiKey.name}>
        Rename
      </FormActions>
    </Form>
  );
}

export function ExpiryDialog({ apiKey, open, onClose }: ChangeDialogProps) {
  const timeZone = useTimeZone();
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Change expiry"
      description={
        <>
          <strong className="font-medium text-text">{apiKey.name}</strong> {expiryText(apiKey, timeZone)}
        </>
      }
    >
      <ExpiryForm apiKey={apiKey} onDone={onClose} />
    </Dialog>
  );
}

/** Returns text such as "works until Thu, 24 Dec 2026, 23:59 CET." */
export function expiryText(
  { expires_at: expiresAt, ends_at: endsAt }: ApiKeySummary,
  timeZone?: string,
): string {
  const shown = (time: string) => formatExpiry(new Date(time), undefined, timeZone);
  const text = expiresAt === null ? 'does not expire' : `works until ${shown(expiresAt)}`;
  if (endsAt === null || endsAt === expiresAt) return `${text}.`;
  return `${text}, but is being replaced, and ends ${shown(endsAt)}.`;
}

function ExpiryForm({ apiKey, onDone }: { apiKey: ApiKeySummary; onDone: () => void }) {
  const { expires_at: present } = apiKey;
  const timeZone = useTimeZone();
  const expiry = useExpiry(
    present === null
      ? { choice: '30-days', day: '' }
      : { choice: 'date', day: dayOf(new Date(present), timeZone) },
  );
  const change = useKeyChange({
    keyId: apiKey.id,
    message: ({ name, expires_at: expiresAt }) =>
      expiresAt === null
        ? `${name} does not expire any more`
        : `${name} works until ${formatExpiry(new Date(expiresAt), undefined, timeZone)}`,
    onDone,
  });
  return (
    <Form
      fields={expiry.fieldNames}
      error={change.error}
      onSubmit={() => change.mutateAsync({ expires_at: expiry.expiresAt })}
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

type KeyChange = { name: string } | { expires_at: string | null };

interface KeyChangeOptions {
  keyId: string;
  /** Shown when the change has succeeded. */
  message: (changed: ApiKeySummary) => string;
  onDone: () => void;
}

function useKeyChange({ keyId, message, onDone }: KeyChangeOptions) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  return useMutation({
    mutationFn: (change: KeyChange) => patch(keyPath(organizationId, keyId), change),
    onSuccess: (changed) => {
      applyKeys(queryClient, organizationId, changed);
      notifySuccess(message(changed));
      onDone();
    },
  });
}
