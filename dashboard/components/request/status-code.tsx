import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { classNames } from '../class-names.ts';
import { type OutcomeTone, outcomeLooks } from './outcome.ts';

export const toneClasses: Record<OutcomeTone, string> = {
  success: 'border-success-line bg-success-soft text-success',
  neutral: 'border-line bg-hover text-muted',
  warning: 'border-warning-line bg-warning-soft text-warning',
  danger: 'border-danger-line bg-danger-soft text-danger',
};

/** The HTTP status of the gateway's response, in the colour of the outcome. A stream can fail with status 200. */
export function StatusCode({
  entry: { status, outcome },
}: {
  entry: Pick<ListedLogEntry, 'status' | 'outcome'>;
}) {
  const { title, tone } = outcomeLooks[outcome];
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center rounded-full border px-2 text-xs font-medium whitespace-nowrap tabular-nums',
        toneClasses[tone],
      )}
    >
      {status}
      {outcome !== 'completed' && <span className="sr-only">, {title}</span>}
    </span>
  );
}
