import { type ReactNode, useState } from 'react';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import { KeyCloseGuard, useCloseGuard } from './close-guard.tsx';
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
      question={(popup) => <KeyCloseGuard guard={guard} apiKey={issued?.key ?? ''} focusAfter={popup} />}
    >
      {issued ? (
        <IssuedKeyPanel
          issued={issued}
          isCopied={isCopied}
          onCopied={() => setCopied(true)}
          onDone={() => guard.requestClose()}
        />
      ) : (
        form(setIssued)
      )}
    </Dialog>
  );
}
