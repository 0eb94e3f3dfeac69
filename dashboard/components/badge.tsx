import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type Tone = 'neutral' | 'accent' | 'success' | 'warning';

const tones: Record<Tone, string> = {
  neutral: 'border-line bg-hover text-muted',
  accent: 'border-transparent bg-accent-soft text-accent',
  success: 'border-success-line bg-success-soft text-success',
  warning: 'border-warning-line bg-warning-soft text-warning',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center rounded-full border px-2 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
