import { Dialog } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import {
  backdropClasses,
  dialogTitleClasses,
  viewportClasses,
} from '#dashboard/components/overlay/dialog.tsx';
import type { IssuedKey } from './issued-key.ts';
import { IssuedKeyPanel } from './panel.tsx';

/** A text field, or the chosen option. Base UI keeps hidden inputs beside its own controls. */
const firstControl = 'input:not([aria-hidden]), [role="radio"][aria-checked="true"]';

interface KeyDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  /** The form that creates the key. */
  form: (onIssued: (issued: IssuedKey) => void) => ReactNode;
}

/** A dialog that creates a key, and then shows it. Neither closing it nor leaving the view loses the key by accident. */
export function KeyDialog({ open, onClose, title, description, form }: KeyDialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [isCopied, setCopied] = useState(false);
  const guard = useCloseGuard({ isActive: open && issued !== null && !isCopied, onClose });
  const forgetKey = () => {
    setIssued(null);
    setCopied(false);
  };

  return (
    <Dialog.Root
      open={open}
      onOpenChange={(isOpen) => !isOpen && guard.requestClose()}
      // The content stays while the dialog fades out.
      onOpenChangeComplete={(isOpen) => !isOpen && forgetKey()}
      disablePointerDismissal={issued !== null}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Viewport className={viewportClasses}>
          <Dialog.Popup
            ref={popup}
            initialFocus={() => popup.current?.querySelector<HTMLElement>(firstControl) ?? true}
            className={classNames(
              'relative my-auto w-full rounded-2xl bg-raised shadow-popup outline-none transition-[opacity,scale,max-width] duration-150 ease-out data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
              // Dims it below the question whether to close it.
              'after:pointer-events-none after:absolute after:inset-0 after:rounded-2xl after:bg-[rgb(9_9_11/40%)] after:opacity-0 after:transition-opacity data-nested-dialog-open:after:opacity-100',
              issued ? 'max-w-2xl' : 'max-w-md',
            )}
          >
            <div className="flex items-start justify-between gap-4 px-6 pt-5">
              <Dialog.Title className={classNames(dialogTitleClasses, 'min-w-0')}>
                {issued ? `Your new key “${issued.apiKey.name}”` : title}
              </Dialog.Title>
              <Dialog.Close
                aria-label="Close"
                className="-mt-1 -mr-2 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
              >
                <X aria-hidden className="size-4" />
              </Dialog.Close>
            </div>
            {!issued && (
              <Dialog.Description className="mt-1 px-6 text-muted">{description}</Dialog.Description>
            )}
            <div className="px-6 pt-5 pb-6">
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
            </div>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
      <CloseGuard guard={guard} focusAfter={popup} />
    </Dialog.Root>
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
