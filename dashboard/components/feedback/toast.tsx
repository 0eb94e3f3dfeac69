import { Suspense, useSyncExternalStore } from 'react';
import { lazyComponent } from '../load-code.ts';
import type { Message } from './toast-layer.tsx';

const ToastLayer = lazyComponent(() => import('./toast-layer.tsx'), 'ToastLayer');

/** Until the layer is loaded, which the first message causes. */
const waiting: Message[] = [];
const listeners = new Set<() => void>();
let isNeeded = false;

let show = (message: Message) => {
  waiting.push(message);
  isNeeded = true;
  for (const notify of listeners) notify();
};

/** Tells that an action has succeeded. */
export function notifySuccess(text: string): void {
  show({ text, type: 'success' });
}

/** Tells that an action without a place of its own for errors has failed. */
export function notifyFailure(text: string): void {
  show({ text, type: 'failure' });
}

export function Toasts() {
  const isShown = useSyncExternalStore(subscribe, () => isNeeded);
  return (
    isShown && (
      <Suspense fallback={null}>
        <ToastLayer onReady={showWaiting} />
      </Suspense>
    )
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function showWaiting(showNow: (message: Message) => void): void {
  show = showNow;
  for (const message of waiting.splice(0)) showNow(message);
}
