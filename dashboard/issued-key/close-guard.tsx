import { useBlocker } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';

interface Guard {
  isAsking: boolean;
  /** Closes, or asks first; `then` comes in place of closing. */
  requestClose: (then?: () => void) => void;
  /** Closes, or leaves the view if that is what the user wanted. */
  confirm: () => void;
  cancel: () => void;
}

interface CloseGuardOptions {
  /** Whether closing would lose what is shown once. */
  isActive: boolean;
  onClose: () => void;
}

/** Watches closing, the browser's back button and reloads. */
export function useCloseGuard({ isActive, onClose }: CloseGuardOptions): Guard {
  const [closing, setClosing] = useState<{ then: () => void } | null>(null);
  const blocker = useBlocker({
    // When the session has ended, nothing can be done with the page any more.
    shouldBlockFn: ({ next }) => isActive && next.pathname !== '/sign-in',
    enableBeforeUnload: () => isActive,
    withResolver: true,
  });
  return {
    isAsking: closing !== null || blocker.status === 'blocked',
    requestClose: (then = onClose) => (isActive ? setClosing({ then }) : then()),
    confirm: () => (blocker.status === 'blocked' ? blocker.proceed() : closing?.then()),
    cancel: () => {
      setClosing(null);
      blocker.reset?.();
    },
  };
}

interface CloseGuardProps {
  guard: Guard;
  /** Such as "the key". */
  subject: string;
  /** The way out after all, for those who close. */
  remedy: string;
  /** Is copied on request. */
  text: string;
  /** Takes the focus when the question is closed. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** The question whether to close without the key. */
export function KeyCloseGuard({
  apiKey,
  ...rest
}: Pick<CloseGuardProps, 'guard' | 'focusAfter'> & { /** In full. */ apiKey: string }) {
  const remedy = 'Without it, you need to create or rotate a key once more.';
  return <CloseGuard subject="the key" remedy={remedy} text={apiKey} {...rest} />;
}

/** The question whether to close without what is shown once. */
export function CloseGuard({ guard, subject, remedy, text, focusAfter }: CloseGuardProps) {
  return (
    <ConfirmDialog
      subject={guard.isAsking || null}
      onClose={guard.cancel}
      title={`Close without copying ${subject}?`}
      description={() => `It cannot be shown again. ${remedy}`}
      confirmLabel="Close anyway"
      confirm={async () => guard.confirm()}
      alternative={{
        label: 'Copy and close',
        run: async () => {
          await copyText(text, subject);
          guard.confirm();
        },
      }}
      focusAfter={focusAfter}
    />
  );
}

async function copyText(text: string, subject: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (cause) {
    const message = `The browser does not allow copying. Cancel, then select ${subject} and copy it.`;
    throw new Error(message, { cause });
  }
}
