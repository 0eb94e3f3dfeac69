import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from 'react';
import { notifyFailure } from '../feedback/toast.tsx';

/** A button that passes its props on. */
export type Trigger = ReactElement<
  Pick<
    ComponentProps<'button'>,
    'aria-haspopup' | 'aria-expanded' | 'onClick' | 'onKeyDown' | 'onPointerEnter' | 'onFocus'
  >
>;

interface OnceTriggeredProps {
  trigger: Trigger;
  popup: 'menu' | 'dialog';
  load: () => Promise<unknown>;
  /** The trigger together with what it opens, which is open at first. */
  children: ReactNode;
}

/** Only the trigger, until it is used: this loads the code of what it opens, and keeps the first view small. */
export function OnceTriggered({ trigger, popup, load, children }: OnceTriggeredProps) {
  const [wasTriggered, setTriggered] = useState(false);
  const open = () => {
    load().then(
      () => setTriggered(true),
      () => notifyFailure('This could not be loaded. Check your connection, then try again.'),
    );
  };
  // Opening it reports a failure.
  const preload = () => void load().catch(() => {});
  const closed = cloneElement(trigger, {
    'aria-haspopup': popup,
    'aria-expanded': false,
    onPointerEnter: preload,
    onFocus: preload,
    onClick: open,
    onKeyDown: ({ key }) => popup === 'menu' && key === 'ArrowDown' && open(),
  });
  return wasTriggered ? <Suspense fallback={closed}>{children}</Suspense> : closed;
}

interface OnceOpenedProps {
  open: boolean;
  /** A dialog made with `lazy`, which is told itself whether it is open. */
  children: ReactNode;
}

/** Loads the code of a dialog when it is first opened, which keeps the first view small. */
export function OnceOpened({ open, children }: OnceOpenedProps) {
  const [wasOpened, setWasOpened] = useState(open);
  if (open && !wasOpened) setWasOpened(true);
  return wasOpened && <Suspense fallback={null}>{children}</Suspense>;
}

/** Returns the value, and the last one while it is `null`: the content of a dialog that is fading out. */
export function useLast<Value>(value: Value | null): Value | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}
