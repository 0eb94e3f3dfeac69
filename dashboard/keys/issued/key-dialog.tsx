import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useState } from 'react';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import type { IssuedKey } from './issued-key.ts';
import { IssuedKeyPanel } from './panel.tsx';

interface KeyDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  /** Takes the focus after the dialog is closed; by default what had it before. */
  finalFocus?: () => HTMLElement | null | true;
  /** The form that creates the key. */
  form: (onIssued: (issued: IssuedKey) => void) => ReactNode;
}

/** A dialog that creates a key, and then shows it. Neither closing it nor leaving the view loses the key by accident. */
export function KeyDialog({ open, onClose, title, description, finalFocus, form }: KeyDialogProps) {
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [isCopied, setCopied] = useState(false);
  const guard = useCloseGuard({ isActive: open && issued !== null && !isCopied, onClose });
  const forgetKey = () => {
    setIssued(null);
    setCopied(false);
  };

  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && guard.requestClose()}
      // The content stays while the dialog fades out.
      onClosed={forgetKey}
      closesOnOutsidePress={issued === null}
      wide={issued !== null}
      title={issued ? `Your new key “${issued.apiKey.name}”` : title}
      description={issued ? undefined : description}
      finalFocus={finalFocus}
      question={(popup) => <CloseGuard guard={guard} focusAfter={popup} />}
    >
      {issued ? (
        <IssuedKeyPanel
          issued={issued}
          isCopied={isCopied}
          onCopied={() => setCopied(true)}
          onDone={guard.requestClose}
        />
      ) : (
        form(setIssued)
      )}
    </Dialog>
  );
}

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
function useCloseGuard({ isActive, onClose }: CloseGuardOptions): Guard {
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
  focusAfter: RefObject<HTMLElement | null>;
}

/** The question whether to close. */
function CloseGuard({ guard, focusAfter }: CloseGuardProps) {
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
