import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

export interface KeyDialogProps {
  apiKey: ApiKeySummary;
  open: boolean;
  onClose: () => void;
}
