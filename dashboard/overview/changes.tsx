import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import { missingDaysText, windowTitle } from '#dashboard/range/comparison.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { useComparedSearch } from './compared-search.ts';
import type { Change, Figure } from './tile-figures.ts';

/**
 * How much the figures of a tile have changed, each of which leads to its comparison by group. A tooltip names both ranges, with
 * the figures of both.
 */
export function Changes({ figure, report }: { figure: Figure; report: CostReport }) {
  const { previous } = report;
  const { id: organizationId } = useOrganization();
  const comparedSearch = useComparedSearch();
  const changes = figure.metrics.map((name) => [name, figure.changeOf(name, report)] as const);
  const known = changes.filter(([, change]) => change !== null);
  return (
    <p className="relative z-1 mt-0.5 flex h-5 w-fit items-center gap-1.5 text-xs whitespace-nowrap tabular-nums">
      {previous &&
        (known.length > 0 ? known : changes.slice(0, 1)).map(([name, change], index) => (
          <Tooltip key={name} content={<Compared metric={name} report={report} previous={previous} />}>
            <Link
              to="/organizations/$organizationId/usage"
              params={{ organizationId }}
              search={{ ...comparedSearch, metric: name }}
              className="group -my-0.5 flex h-6 items-center gap-1.5 rounded-sm"
            >
              {index > 0 && (
                <span aria-hidden className="text-muted">
                  ·
                </span>
              )}
              <ChangeText change={change} />
              <span className="sr-only">. Compare {metrics[name].title}</span>
            </Link>
          </Tooltip>
        ))}
    </p>
  );
}

interface ComparedProps {
  metric: MetricName;
  report: CostReport;
  previous: NonNullable<CostReport['previous']>;
}

export function Compared({ metric, report, previous }: ComparedProps) {
  const { title, textOf } = metrics[metric];
  const timeZone = report.time_zone;
  const missingDays = previous.days && missingDaysText(previous.days);
  return (
    <>
      <p className="font-medium">{title}</p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 tabular-nums">
        <dt className="text-muted">{windowTitle(report.window, timeZone)}</dt>
        <dd className="text-right font-medium">{textOf(report.totals)}</dd>
        <dt className="text-muted">{windowTitle(previous.window, timeZone)}</dt>
        <dd className="text-right font-medium">{textOf(previous.totals)}</dd>
      </dl>
      {missingDays !== null && <p className="mt-1 text-warning">{missingDays}</p>}
      <p className="mt-1 text-muted">Click to see what changed most.</p>
    </>
  );
}

const toneClasses: Record<Change['tone'], string> = {
  good: 'text-success',
  bad: 'text-danger',
  neutral: 'text-muted',
};

/** Marks the figure as a link of its own, within a tile that leads elsewhere. */
const underlineClasses = 'underline decoration-dotted underline-offset-3 group-hover:decoration-solid';

const spokenDirections = { up: 'Up', down: 'Down', none: 'Changed by' } as const;

function ChangeText({ change }: { change: Change | null }) {
  if (change === null) {
    return (
      <span className="text-muted">
        <span aria-hidden className={underlineClasses}>
          –
        </span>
        <span className="sr-only">Nothing to compare with</span>
      </span>
    );
  }
  const { direction, text, tone } = change;
  const Icon = direction === 'up' ? ArrowUp : direction === 'down' && ArrowDown;
  return (
    <span className={classNames('flex items-center gap-0.5 font-medium', toneClasses[tone])}>
      {Icon && <Icon aria-hidden className="size-3" strokeWidth={2.5} />}
      {direction !== 'new' && <span className="sr-only">{spokenDirections[direction]} </span>}
      <span className={underlineClasses}>{text}</span>
    </span>
  );
}
