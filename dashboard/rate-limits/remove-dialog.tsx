import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { reloadLists } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { limitsOf, limitsText, noLimits, type PresentLimits } from './limits.ts';
import { putLimits } from './put-limits.ts';

interface RemoveDialogProps {
  /** Null closes the dialog. */
  subject: PresentLimits | null;
  onClose: () => void;
  focusAfter: RefObject<HTMLElement | null>;
}

export function RemoveDialog({ subject, onClose, focusAfter }: RemoveDialogProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const isDefault = useLast(subject)?.kind === 'default';
  const removeLimits = async (removed: PresentLimits) => {
    await putLimits(organizationId, removed, noLimits);
    await reloadLists(queryClient, organizationId);
    notifySuccess(isDefault ? 'The default is removed' : 'The rate limits are removed');
  };
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={isDefault ? 'Remove this default?' : 'Remove these rate limits?'}
      description={(removed) => <Consequence removed={removed} />}
      confirmLabel={isDefault ? 'Remove default' : 'Remove rate limits'}
      confirm={removeLimits}
      focusAfter={focusAfter}
    />
  );
}

function Consequence({ removed }: { removed: PresentLimits }): ReactNode {
  const { name: organizationName, key_revocation_seconds: seconds } = useOrganization();
  const limits = limitsText(limitsOf(removed) ?? noLimits);
  if (removed.kind === 'default') {
    return removed.name === 'new_keys'
      ? `New keys get no rate limits instead of ${limits}. Existing keys keep theirs.`
      : `Keys that members create get the default of all new keys instead of ${limits}. Existing keys keep theirs.`;
  }
  const { api_key_id: keyId, api_key_name: keyName } = removed.owner;
  return (
    <>
      The limits of{' '}
      <strong className="font-medium text-text">
        <bdi>{keyId === null ? organizationName : (keyName ?? keyId)}</bdi>
      </strong>
      , {limits}, end, and refuse no more requests within {seconds} seconds.
    </>
  );
}
