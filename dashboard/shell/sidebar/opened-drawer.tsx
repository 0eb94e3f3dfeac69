import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { backdropClasses } from '#dashboard/components/overlay/dialog.tsx';

interface OpenedDrawerProps {
  trigger: ReactElement;
  /** Beside the button that closes it. */
  top: (close: () => void) => ReactNode;
  children: (close: () => void) => ReactNode;
}

/** The drawer with the button that opened it. */
export function OpenedDrawer({ trigger, top, children }: OpenedDrawerProps) {
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger render={trigger} />
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-72 max-w-[85vw] flex-col bg-canvas shadow-popup outline-none transition-[translate] duration-200 ease-out data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex shrink-0 items-center gap-1 p-2">
            <div className="min-w-0 flex-1">{top(close)}</div>
            <Dialog.Close
              render={
                <IconButton label="Close navigation">
                  <X aria-hidden />
                </IconButton>
              }
            />
          </div>
          <div className="flex-1 overflow-y-auto px-3 py-3">{children(close)}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
