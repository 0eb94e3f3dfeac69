import { RefreshCw, Trash2 } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { actionsFor, type KeyAction } from '../actions/key-action.ts';
import { KeyMenu } from '../key-menu.tsx';

interface KeyActionsProps {
  apiKey: ApiKeySummary;
  onAction: (action: KeyAction) => void;
}

/** The actions on the key of the page. After a leak, nobody has to search for them in a menu. */
export function KeyActions({ apiKey, onAction }: KeyActionsProps) {
  const actions = actionsFor(apiKey);
  return (
    <>
      {actions.includes('rotate') && (
        <Button onClick={() => onAction({ kind: 'rotate', apiKey })}>
          <RefreshCw aria-hidden />
          Rotate
        </Button>
      )}
      {actions.includes('revoke') && (
        <Button variant="danger-quiet" onClick={() => onAction({ kind: 'revoke', apiKey })}>
          <Trash2 aria-hidden />
          Revoke
        </Button>
      )}
      <KeyMenu apiKey={apiKey} onAction={onAction} isOnPage />
    </>
  );
}
