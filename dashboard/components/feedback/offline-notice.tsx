import { CloudOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';

/** Says while the browser is offline that what is shown may be old. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status" className="fixed inset-x-4 bottom-4 z-30 mx-auto w-fit empty:hidden print:hidden">
      {!isOnline && (
        <p className="flex items-center gap-2.5 rounded-xl bg-raised px-3.5 py-2.5 shadow-popup">
          <CloudOff aria-hidden className="size-4 shrink-0 text-warning" />
          You are offline. The page goes on by itself when the connection is back.
        </p>
      )}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
