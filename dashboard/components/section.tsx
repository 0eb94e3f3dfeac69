import { type ComponentProps, type ReactNode, type Ref, useId } from 'react';
import { classNames } from './class-names.ts';

interface SectionProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  tone?: 'danger';
  /** To move the focus to the heading. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** A titled part of a view, with its content in a card. */
export function Section({ title, description, action, tone, headingRef, children }: SectionProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId}>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <Heading id={headingId} ref={headingRef} tabIndex={-1}>
            {title}
          </Heading>
          {description && <p className="mt-0.5 text-muted">{description}</p>}
        </div>
        {action}
      </div>
      <div className="mt-3">
        <Card tone={tone}>{children}</Card>
      </div>
    </section>
  );
}

/** The title of a part of a view. */
export function Heading({ className, children, ...heading }: ComponentProps<'h2'>) {
  return (
    <h2 {...heading} className={classNames('text-[0.9375rem] font-semibold tracking-[-0.01em]', className)}>
      {children}
    </h2>
  );
}

interface RowProps {
  label: string;
  description?: ReactNode;
  children: ReactNode;
}

/** A line of a section: a label on the left, its value or control on the right. */
export function Row({ label, description, children }: RowProps) {
  return (
    <div className="flex min-h-16 flex-col justify-center gap-x-8 gap-y-2 border-line px-5 py-3.5 not-first:border-t sm:flex-row sm:items-center sm:justify-between">
      <div className="min-w-44 sm:flex-1">
        <p className="font-medium">{label}</p>
        {description && <p className="mt-0.5 text-[0.8125rem] text-muted">{description}</p>}
      </div>
      <div className="flex min-w-0 items-center sm:justify-end">{children}</div>
    </div>
  );
}

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
