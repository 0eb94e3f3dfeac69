import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { Notice } from '../feedback/notice.tsx';
import {
  backdropClasses,
  DialogActions,
  dialogTitleClasses,
  popupClasses,
  viewportClasses,
} from './dialog.tsx';

interface ConfirmDialogProps<Subject> {
  /** The item to act on; `null` closes the dialog. */
  subject: Subject | null;
  onClose: () => void;
  title: string;
  description: (subject: Subject) => ReactNode;
  confirmLabel: string;
  /** For what adds something, rather than removes it. */
  confirmVariant?: 'primary' | 'danger';
  confirm: (subject: Subject) => Promise<unknown>;
  /** A second way to agree, which loses nothing. */
  alternative?: { label: string; run: () => Promise<unknown> };
  /** Takes the focus after success, when the button that opened the dialog may be gone. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** Asks before something is removed or ended, and shows why it failed. */
export function ConfirmDialog<Subject>(props: ConfirmDialogProps<Subject>) {
  const { subject, onClose, alternative } = props;
  // The content stays while the dialog fades out.
  const shown = useRef(subject);
  if (subject !== null) shown.current = subject;
  const succeeded = useRef(false);
  const { mutateAsync, isPending, error, reset } = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSuccess: () => {
      succeeded.current = true;
      onClose();
    },
  });
  const isOpen = subject !== null;
  useEffect(() => {
    if (!isOpen) return;
    succeeded.current = false;
    reset();
  }, [isOpen, reset]);

  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && !isPending && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClasses} />
        <AlertDialog.Viewport className={viewportClasses}>
          <AlertDialog.Popup
            className={classNames(popupClasses, 'max-w-md')}
            finalFocus={() => (succeeded.current ? props.focusAfter.current : true)}
          >
            <div className="px-6 pt-5 pb-6">
              <AlertDialog.Title className={dialogTitleClasses}>{props.title}</AlertDialog.Title>
              <AlertDialog.Description className="mt-1 text-muted">
                {shown.current !== null && props.description(shown.current)}
              </AlertDialog.Description>
              {error && (
                <div className="mt-4">
                  <Notice tone="danger" role="alert">
                    {error.message}
                  </Notice>
                </div>
              )}
              <DialogActions>
                <AlertDialog.Close disabled={isPending} render={<Button>Cancel</Button>} />
                <Button
                  variant={props.confirmVariant ?? 'danger'}
                  pending={isPending}
                  onClick={() => subject !== null && mutateAsync(() => props.confirm(subject))}
                >
                  {props.confirmLabel}
                </Button>
                {alternative && (
                  <Button variant="primary" disabled={isPending} onClick={() => mutateAsync(alternative.run)}>
                    {alternative.label}
                  </Button>
                )}
              </DialogActions>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
