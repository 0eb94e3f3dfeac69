import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ComponentProps, type ReactNode, type RefObject, useRef } from 'react';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { ClosingContext } from './closing.ts';

/** Without a blur: where no GPU draws the page, it would be drawn anew, in 300 ms, with each blink of the cursor in a field. */
export const backdropClasses =
  'fixed inset-0 z-40 bg-[rgb(9_9_11/45%)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0';

export const viewportClasses =
  'fixed inset-0 z-40 flex items-center justify-center overflow-y-auto overscroll-contain p-4';

export const popupClasses =
  'relative my-auto w-full rounded-2xl bg-raised shadow-popup outline-none transition-[opacity,scale,max-width] duration-150 ease-out data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0';

/**
 * The content scrolls between the title and the actions. Where there is no room for that, as with very large text, the whole
 * dialog scrolls.
 */
const scrollingClasses = 'flex flex-col [@media(min-height:26rem)]:max-h-full';

const contentClasses = '[@media(min-height:26rem)]:min-h-0 [@media(min-height:26rem)]:overflow-y-auto';

/** Content below them fades out where it goes on. */
const actionsClasses =
  'relative -mx-6 mt-3 -mb-6 flex flex-col-reverse gap-2 rounded-b-2xl bg-raised px-6 pt-3 pb-6 before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-3 before:bg-linear-to-t before:from-raised before:to-transparent first:mt-0 first:pt-1 sm:flex-row sm:justify-end [@media(min-height:26rem)]:sticky [@media(min-height:26rem)]:bottom-0';

/** Dims a dialog below the question about it. */
const dimmedClasses =
  'after:pointer-events-none after:absolute after:inset-0 after:rounded-2xl after:bg-[rgb(9_9_11/40%)] after:opacity-0 after:transition-opacity data-nested-dialog-open:after:opacity-100';

export const dialogTitleClasses = 'text-base font-semibold tracking-[-0.01em]';

interface DialogProps extends Pick<ComponentProps<typeof BaseDialog.Popup>, 'finalFocus'> {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called when it is no longer visible. */
  onClosed?: () => void;
  /** False for content that cannot be shown again. */
  closesOnOutsidePress?: boolean;
  wide?: boolean;
  title: string;
  description?: ReactNode;
  /** A question above the dialog, after which the focus may return to it. */
  question?: (popup: RefObject<HTMLDivElement | null>) => ReactNode;
  children: ReactNode;
}

/** Base UI keeps hidden inputs beside its own controls. */
const firstControl = 'input:not([aria-hidden]), [role="radio"][aria-checked="true"], form button';

/** A modal dialog, which begins at its first field, or at the first button of its form. Afterwards, the focus returns to where it was. */
export function Dialog({
  open,
  onOpenChange,
  onClosed,
  closesOnOutsidePress = true,
  wide = false,
  title,
  description,
  question,
  finalFocus,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={onOpenChange}
      onOpenChangeComplete={(isOpen) => !isOpen && onClosed?.()}
      disablePointerDismissal={!closesOnOutsidePress}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropClasses} />
        <BaseDialog.Viewport className={viewportClasses}>
          <BaseDialog.Popup
            ref={popup}
            initialFocus={() => popup.current?.querySelector<HTMLElement>(firstControl) ?? true}
            finalFocus={finalFocus}
            className={classNames(
              popupClasses,
              scrollingClasses,
              wide ? 'max-w-2xl' : 'max-w-md',
              question !== undefined && dimmedClasses,
            )}
          >
            <div className="flex items-start justify-between gap-4 px-6 pt-5">
              <BaseDialog.Title className={classNames(dialogTitleClasses, 'min-w-0')}>
                {title}
              </BaseDialog.Title>
              <BaseDialog.Close
                aria-label="Close"
                className="-mt-1 -mr-2 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
              >
                <X aria-hidden className="size-4" />
              </BaseDialog.Close>
            </div>
            {description && (
              <BaseDialog.Description className="mt-1 px-6 text-muted">{description}</BaseDialog.Description>
            )}
            <div className={contentClasses}>
              <div className="px-6 pt-5 pb-6">
                <ClosingContext value={!open}>{children}</ClosingContext>
              </div>
            </div>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
      {question?.(popup)}
    </BaseDialog.Root>
  );
}

/** The buttons at the end of a dialog, always in sight; the first is the last in the phone's layout. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={actionsClasses}>{children}</div>;
}

interface FormActionsProps {
  onCancel: () => void;
  variant?: 'primary' | 'danger';
  /** Whether the form is being submitted. */
  pending: boolean;
  disabled?: boolean;
  /** The label of the button that submits the form. */
  children: ReactNode;
}

/** The end of a dialog's form: cancel and submit. */
export function FormActions({
  onCancel,
  variant = 'primary',
  pending,
  disabled,
  children,
}: FormActionsProps) {
  return (
    <DialogActions>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant={variant} pending={pending} disabled={disabled}>
        {children}
      </Button>
    </DialogActions>
  );
}
