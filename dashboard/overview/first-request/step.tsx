import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Heading } from '#dashboard/components/section.tsx';

interface StepProps {
  number: number;
  title: string;
  description: ReactNode;
  isDone: boolean;
  children?: ReactNode;
}

export function Step({ number, title, description, isDone, children }: StepProps) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 border-line p-5 not-first:border-t">
      <span
        className={classNames(
          'flex size-7 shrink-0 items-center justify-center rounded-full border text-[0.8125rem] font-semibold tabular-nums',
          isDone ? 'border-success-line bg-success-soft text-success' : 'border-control bg-canvas text-muted',
        )}
      >
        {isDone ? <Check aria-hidden className="size-4" /> : <span aria-hidden>{number}</span>}
      </span>
      <div className="pt-1">
        <Heading className="leading-5">
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </Heading>
        <p className="mt-0.5 text-muted">{description}</p>
      </div>
      {children && (
        // On phones, as wide as the step.
        <div className="col-span-2 mt-4 min-w-0 sm:col-span-1 sm:col-start-2">{children}</div>
      )}
    </li>
  );
}
