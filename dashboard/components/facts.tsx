/** Labelled values. */
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface FactListProps {
  /** On wide screens. */
  columns: 1 | 2;
  children: ReactNode;
}

export function FactList({ columns, children }: FactListProps) {
  return (
    <dl className={classNames('grid content-start gap-x-8 gap-y-4', columns === 2 && 'sm:grid-cols-2')}>
      {children}
    </dl>
  );
}

const labelClasses = 'text-[0.8125rem] text-muted';

/** Classes of the label and of the value. */
const looks = {
  text: [labelClasses, 'mt-0.5 wrap-anywhere'],
  strong: [labelClasses, 'mt-0.5 font-medium wrap-anywhere'],
  /** In one line each, for many facts beside each other. */
  compact: ['text-xs text-muted', 'truncate text-[0.8125rem] font-medium tabular-nums'],
  figure: [labelClasses, 'mt-0.5 text-lg font-semibold tracking-[-0.01em] wrap-anywhere tabular-nums'],
  largeFigure: [labelClasses, 'mt-1 text-xl font-semibold tracking-[-0.02em] tabular-nums sm:text-2xl'],
} as const;

interface FactProps {
  label: string;
  look?: keyof typeof looks;
  /** Takes a line of its own on phones. */
  wide?: boolean;
  /** A compact fact without a value has a dash. */
  children: ReactNode;
}

export function Fact({ label, look = 'text', wide = false, children }: FactProps) {
  const [labelLook, valueLook] = looks[look];
  return (
    <div
      className={classNames(
        wide ? 'col-span-2 min-w-0 sm:col-span-1' : 'min-w-0',
        // The figures of a row are in line, also beside a label of two lines.
        look === 'largeFigure' && 'flex flex-col justify-between',
      )}
    >
      <dt className={labelLook}>{label}</dt>
      <dd className={valueLook}>{look === 'compact' ? children || '–' : children}</dd>
    </div>
  );
}
