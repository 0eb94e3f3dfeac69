import { classNames } from '../class-names.ts';

/** The place of a text that is loading; `className` gives its size. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={classNames('block animate-pulse rounded-md bg-selected', className)} />;
}
