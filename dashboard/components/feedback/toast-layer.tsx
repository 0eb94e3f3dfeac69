import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect } from 'react';

/** A message that is shown for a few seconds. */
export interface Message {
  text: string;
  type: 'success' | 'failure';
}

const manager = Toast.createToastManager();

/** @param onReady gets what shows a message */
export function ToastLayer({ onReady }: { onReady: (show: (message: Message) => void) => void }) {
  useEffect(() => {
    onReady(({ text, type }) => {
      manager.add({ title: text, type, priority: type === 'failure' ? 'high' : 'low' });
    });
  }, [onReady]);
  return (
    <Toast.Provider toastManager={manager} timeout={6000}>
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-4 bottom-4 z-50 flex flex-col gap-2 outline-none sm:right-6 sm:bottom-6 sm:left-auto sm:w-90">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="translate-x-(--toast-swipe-movement-x) rounded-xl bg-raised shadow-popup transition-[opacity,translate] duration-200 ease-out data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-3 data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-center gap-2.5 py-2 pr-2 pl-3.5">
        {toast.type === 'failure' ? (
          <CircleAlert aria-hidden className="size-4 shrink-0 text-danger" />
        ) : (
          <CircleCheck aria-hidden className="size-4 shrink-0 text-success" />
        )}
        <Toast.Title className="min-w-0 flex-1 py-1 text-sm" />
        <Toast.Close
          aria-label="Dismiss"
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
        >
          <X aria-hidden className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
