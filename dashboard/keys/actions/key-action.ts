import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

export interface KeyAction {
  kind: 'rename' | 'expire' | 'rotate' | 'revoke';
  apiKey: ApiKeySummary;
}

/** Returns the actions on a key. A revoked one cannot be changed any more, of an expired one only the name. */
export function actionsFor({
  manageable,
  state,
}: Pick<ApiKeySummary, 'manageable' | 'state'>): KeyAction['kind'][] {
  if (!manageable) return [];
  const actions: Record<ApiKeySummary['state'], KeyAction['kind'][]> = {
    active: ['rename', 'expire', 'rotate', 'revoke'],
    expired: ['rename', 'revoke'],
    revoked: [],
  };
  return actions[state];
}

/** The dialog that changes a key. */
export interface ChangeDialogProps {
  apiKey: ApiKeySummary;
  open: boolean;
  onClose: () => void;
}
