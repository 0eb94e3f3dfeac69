import type { ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';

interface FactListProps {
  /** On wide screens. */
  columns: 1 | 2;
  children: ReactNode;
}

/** Labelled values. */
export function FactList({ columns, children }: FactListProps) {
  return (
    <dl className={classNames('grid content-start gap-x-8 gap-y-4', columns === 2 && 'sm:grid-cols-2')}>
      {children}
    </dl>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="mt-0.5 wrap-anywhere">{children}</dd>
    </div>
  );
}
