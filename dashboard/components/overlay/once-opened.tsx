import { type ReactNode, Suspense, useState } from 'react';

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
