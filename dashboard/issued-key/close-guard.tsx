import { useBlocker } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';

interface Guard {
  isAsking: boolean;
  /** Closes, or asks first. */
  requestClose: () => void;
  /** Closes, or leaves the view if that is what the user wanted. */
  confirm: () => void;
  cancel: () => void;
}

interface CloseGuardOptions {
  /** Whether closing would lose the key. */
  isActive: boolean;
  onClose: () => void;
}

/** Watches closing, the browser's back button and reloads. */
export function useCloseGuard({ isActive, onClose }: CloseGuardOptions): Guard {
  const [isClosing, setClosing] = useState(false);
  const blocker = useBlocker({
    // When the session has ended, nothing can be done with the page any more.
    shouldBlockFn: ({ next }) => isActive && next.pathname !== '/sign-in',
    enableBeforeUnload: () => isActive,
    withResolver: true,
  });
  return {
    isAsking: isClosing || blocker.status === 'blocked',
    requestClose: () => (isActive ? setClosing(true) : onClose()),
    confirm: () => (blocker.status === 'blocked' ? blocker.proceed() : onClose()),
    cancel: () => {
      setClosing(false);
      blocker.reset?.();
    },
  };
}

interface CloseGuardProps {
  guard: Guard;
  /** Takes the focus when the question is closed. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** The question whether to close. */
export function CloseGuard({ guard, focusAfter }: CloseGuardProps) {
  return (
    <ConfirmDialog
      subject={guard.isAsking || null}
      onClose={guard.cancel}
      title="Close without copying the key?"
      description={() =>
        'It cannot be shown again. Without it, you need to create or rotate a key once more.'
      }
      confirmLabel="Close anyway"
      confirm={async () => guard.confirm()}
      focusAfter={focusAfter}
    />
  );
}
