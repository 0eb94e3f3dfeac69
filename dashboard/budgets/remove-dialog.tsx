import { useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { organizationPath, reloadLists } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { ownerName, periodAdjective } from '#dashboard/components/spending-bar.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

interface RemoveDialogProps {
  /** Null closes the dialog. */
  budget: BudgetSummary | null;
  onClose: () => void;
  focusAfter: RefObject<HTMLElement | null>;
}

export function RemoveDialog({ budget, onClose, focusAfter }: RemoveDialogProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, name } = useOrganization();
  const removeBudget = async ({ api_key_id, period }: BudgetSummary) => {
    await removeIfPresent(organizationPath(organizationId, '/budgets'), { api_key_id, period });
    await reloadLists(queryClient, organizationId);
    notifySuccess('The budget is removed');
  };
  return (
    <ConfirmDialog
      subject={budget}
      onClose={onClose}
      title="Remove this budget?"
      description={(removed) => (
        <>
          The {periodAdjective(removed)} budget of{' '}
          <strong className="font-medium text-text">{ownerName(removed, name)}</strong> ends
          {removed.hard && ', and refuses no more requests within 30 seconds'}. What was spent stays in the
          logs and costs.
        </>
      )}
      confirmLabel="Remove budget"
      confirm={removeBudget}
      focusAfter={focusAfter}
    />
  );
}
