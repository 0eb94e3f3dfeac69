import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export function Card({ tone, children }: { tone?: 'danger'; children: ReactNode }) {
  return (
    <div
      className={classNames(
        'rounded-xl border bg-surface shadow-card',
        tone === 'danger' ? 'border-danger-line' : 'border-line',
      )}
    >
      {children}
    </div>
  );
}
