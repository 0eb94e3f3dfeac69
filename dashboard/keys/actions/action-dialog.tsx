import { useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { post } from '#dashboard/api/client.ts';
import { keyPath } from '#dashboard/api/keys.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { applyKeys } from '../apply-changes.ts';
import { ExpiryDialog, RenameDialog } from './change-dialogs.tsx';
import type { KeyAction } from './key-action.ts';
import { RotateDialog } from './rotate-dialog.tsx';
import { UseNote } from './use-note.tsx';

interface ActionDialogProps {
  /** Null closes the dialog. */
  action: KeyAction | null;
  onClose: () => void;
  /** Takes the focus when the row of the key is gone. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** The dialog of the chosen action. */
export function ActionDialog({ action, onClose, focusAfter }: ActionDialogProps) {
  const shown = useLast(action);
  if (shown === null) return null;
  const { kind, apiKey } = shown;
  const props = { apiKey, open: action !== null, onClose };
  // Each dialog belongs to one key.
  const key = apiKey.id;
  switch (kind) {
    case 'rename':
      return <RenameDialog key={key} {...props} />;
    case 'expire':
      return <ExpiryDialog key={key} {...props} />;
    case 'rotate':
      return <RotateDialog key={key} {...props} />;
    case 'revoke':
      return <RevokeDialog key={key} apiKey={action && apiKey} onClose={onClose} focusAfter={focusAfter} />;
    default:
      return kind satisfies never;
  }
}

interface RevokeDialogProps {
  /** Null closes the dialog. */
  apiKey: ApiKeySummary | null;
  onClose: () => void;
  focusAfter: RefObject<HTMLElement | null>;
}

function RevokeDialog({ apiKey, onClose, focusAfter }: RevokeDialogProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, key_revocation_seconds: seconds } = useOrganization();
  const revoke = async ({ id, name }: ApiKeySummary) => {
    const revoked = await post(keyPath(organizationId, id, '/revocation'));
    applyKeys(queryClient, organizationId, revoked);
    notifySuccess(`${name} is revoked`);
  };
  return (
    <ConfirmDialog
      subject={apiKey}
      onClose={onClose}
      title="Revoke this key?"
      description={(subject) => (
        <>
          Requests with{' '}
          <strong className="font-medium text-text">
            <bdi>{subject.name}</bdi>
          </strong>{' '}
          <code className="font-mono text-[0.8125rem] whitespace-nowrap">pt_live_…{subject.last_four}</code>{' '}
          are refused everywhere within {seconds} seconds. This cannot be undone.
          <span className="mt-2 block">
            <UseNote keyId={subject.id} />
          </span>
        </>
      )}
      confirmLabel="Revoke key"
      confirm={revoke}
      focusAfter={focusAfter}
    />
  );
}
