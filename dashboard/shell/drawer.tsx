import { Dialog } from '@base-ui/react/dialog';
import { Menu, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { productName } from '#dashboard/components/brand.tsx';
import { IconButton } from '#dashboard/components/button.tsx';
import { backdropClasses } from '#dashboard/components/overlay/dialog.tsx';

/** The navigation on phones, with the button that opens it. */
export function Drawer({ children }: { children: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger
        render={
          <IconButton label="Open navigation">
            <Menu aria-hidden />
          </IconButton>
        }
      />
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-72 max-w-[85vw] flex-col bg-canvas shadow-popup outline-none transition-[translate] duration-200 ease-out data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
          <div className="flex h-14 shrink-0 items-center justify-between pr-2 pl-5">
            <Dialog.Title className="text-[0.9375rem] font-semibold tracking-[-0.01em]">
              {productName}
            </Dialog.Title>
            <Dialog.Close
              render={
                <IconButton label="Close navigation">
                  <X aria-hidden />
                </IconButton>
              }
            />
          </div>
          <div className="flex-1 overflow-y-auto px-3 py-3">{children(() => setOpen(false))}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
