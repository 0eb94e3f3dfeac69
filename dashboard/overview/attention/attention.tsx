import { ChevronDown, CircleAlert, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { ProblemDetails } from './problem-details.tsx';
import { ProblemLink } from './problem-link.tsx';
import { useProblems } from './use-problems.ts';

/**
 * A line above the figures when something is wrong: the most urgent problem, and behind a button the details of all. Their
 * titles are links. It keeps its height, so that nothing moves when they are found.
 *
 * @param report of the range, whose requests can lack a price
 */
export function Attention({ report }: { report: CostReport | undefined }) {
  const problems = useProblems(report);
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const [first, ...others] = problems;
  return (
    <div className="-my-5 min-h-9 text-[0.8125rem]">
      {first && (
        <div
          className={classNames(
            'rounded-lg border',
            first.isUrgent ? 'border-danger-line bg-danger-soft' : 'border-warning-line bg-warning-soft',
          )}
        >
          <div className="flex min-h-8.5 items-center gap-2.5 pr-1 pl-3.5">
            <Mark isUrgent={first.isUrgent} />
            <p className="flex min-w-0 flex-1 font-medium max-sm:py-1.5" title={first.title}>
              <ProblemLink problem={first} />
            </p>
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={detailsId}
              onClick={() => setOpen(!isOpen)}
              className="inline-flex h-7 shrink-0 items-center gap-1 rounded-md px-2 font-medium text-muted transition-colors hover:text-text"
            >
              {others.length > 0 ? `${others.length} more` : 'Details'}
              <ChevronDown aria-hidden className={classNames('size-3.5', isOpen && 'rotate-180')} />
            </button>
          </div>
          <ul
            id={detailsId}
            aria-label="Needs attention"
            hidden={!isOpen}
            className="border-t border-inherit px-3.5"
          >
            {isOpen &&
              problems.map((problem, index) => (
                <li key={problem.title} className="border-inherit py-3 not-first:border-t">
                  {index > 0 && (
                    <p className="flex items-center gap-2.5 font-medium">
                      <Mark isUrgent={problem.isUrgent} />
                      <ProblemLink problem={problem} />
                    </p>
                  )}
                  <div className="pl-6.5 text-muted">
                    <ProblemDetails problem={problem} />
                  </div>
                </li>
              ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Mark({ isUrgent }: { isUrgent: boolean }) {
  const Icon = isUrgent ? CircleAlert : TriangleAlert;
  return (
    <Icon aria-hidden className={classNames('size-4 shrink-0', isUrgent ? 'text-danger' : 'text-warning')} />
  );
}
