import type { RefObject } from 'react';
import { useLast } from '#dashboard/components/overlay/dialog.tsx';
import { ExpiryDialog } from './expiry-dialog.tsx';
import type { KeyAction } from './key-action.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

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
