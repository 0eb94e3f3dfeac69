import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patch } from '#dashboard/api/client.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { applyKeys, keyPath } from '../apply-changes.ts';

type KeyChange = { name: string } | { expires_at: string | null };

interface KeyChangeOptions {
  keyId: string;
  /** Shown when the change has succeeded. */
  message: (changed: ApiKeySummary) => string;
  onDone: () => void;
}

export function useKeyChange({ keyId, message, onDone }: KeyChangeOptions) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  return useMutation({
    mutationFn: (change: KeyChange) => patch<ApiKeySummary>(keyPath(organizationId, keyId), change),
    onSuccess: (changed) => {
      applyKeys(queryClient, organizationId, changed);
      notifySuccess(message(changed));
      onDone();
    },
  });
}
