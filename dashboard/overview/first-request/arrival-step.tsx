import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { costsQuery, costsReloadMs } from '#dashboard/api/analytics.ts';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { ReportChart, ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { resolveRange } from '#dashboard/range/range.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { firstRequestPollMs } from '../use-has-requests.ts';
import { Step } from './step.tsx';

interface ArrivalStepProps {
  /** Null until the first request has arrived. */
  entry: ListedLogEntry | null;
  onOpenOverview: () => void;
}

export function ArrivalStep({ entry, onOpenOverview }: ArrivalStepProps) {
  return (
    <Step
      number={3}
      title="See it arrive"
      description="Each request is logged with its model, tokens, cost and latency, about a second after it ends."
      isDone={entry !== null}
    >
      {/* As high as the facts, whose arrival moves nothing. */}
      <div className="min-h-24 sm:min-h-16">
        {entry === null ? <Waiting /> : <EntryFacts entry={entry} />}
        <p role="status" className="sr-only">
          {entry && 'The first request has arrived'}
        </p>
      </div>
      {entry && <Arrived entry={entry} onOpenOverview={onOpenOverview} />}
    </Step>
  );
}

function Waiting() {
  return (
    <div className="flex min-h-16 items-center gap-3 rounded-lg border border-dashed border-control px-4 text-muted">
      <span aria-hidden className="size-2 shrink-0 animate-pulse rounded-full bg-accent" />
      Waiting for the first request…
    </div>
  );
}

function EntryFacts({ entry }: { entry: ListedLogEntry }) {
  return (
    <dl
      aria-label="The first request"
      className="grid min-h-16 grid-cols-2 gap-x-4 gap-y-2 rounded-lg border border-line bg-canvas px-4 py-3 sm:grid-cols-[2fr_1fr_1.5fr_1.5fr_1fr]"
    >
      <Fact look="compact" label="Model">
        {entry.model}
      </Fact>
      <Fact look="compact" label="Provider">
        {entry.provider}
      </Fact>
      <Fact look="compact" label="Tokens">
        {tokens(entry)}
      </Fact>
      <Fact look="compact" label="Cost">
        <EntryCost entry={entry} unreported="Not reported">
          {formatExactUsd(entry.cost_usd)}
        </EntryCost>
      </Fact>
      <Fact look="compact" label="Latency">
        {formatDuration(entry.latency_ms)}
      </Fact>
    </dl>
  );
}

function tokens({ input_tokens: input, output_tokens: output }: ListedLogEntry): string | null {
  if (input === null && output === null) return null;
  return `${formatCount(input ?? 0)} in, ${formatCount(output ?? 0)} out`;
}

function Arrived({ entry, onOpenOverview }: { entry: ListedLogEntry; onOpenOverview: () => void }) {
  const { id: organizationId } = useOrganization();
  const { id: logId, status, error_code: errorCode } = entry;
  return (
    <div className="mt-4 flex flex-col gap-4">
      {errorCode !== null && (
        <Notice tone="warning">
          It failed with status {status}: <code className="font-mono text-[0.8125rem]">{errorCode}</code>
        </Notice>
      )}
      <FirstChart />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onOpenOverview}>
          Open the overview
        </Button>
        <Link
          to="/organizations/$organizationId/logs/$logId"
          params={{ organizationId, logId }}
          className={buttonClasses()}
        >
          See its details
        </Link>
      </div>
    </div>
  );
}

const firstChartTitle = 'Spend by model in the last hour';

/** The spend of the last hour, as soon as the first request is counted, about a second after it is logged. */
function FirstChart() {
  const { id: organizationId } = useOrganization();
  // From when the chart appears: the first request is within it.
  const [range] = useState(() => resolveRange({ range: '1h' }, new Date()));
  const look = useGroupLook({ group_by: 'model', groups: [] });
  const report = useQuery({
    ...costsQuery(organizationId, { ...range.bounds, interval: 'minute', group_by: 'model', limit: 8 }),
    refetchInterval: ({ state }) => (state.data?.totals.requests ? costsReloadMs : firstRequestPollMs),
  });
  const data = report.data?.totals.requests ? report.data : null;
  const isShown = data !== null;
  const section = useRef<HTMLElement>(null);
  // The steps above are longer than a small screen.
  useEffect(() => {
    if (isShown) section.current?.scrollIntoView({ block: 'center' });
  }, [isShown]);
  return (
    <section ref={section} aria-labelledby="first-chart-title">
      <h3 id="first-chart-title" className="font-medium">
        {firstChartTitle}
      </h3>
      <div className="mt-2 rounded-lg border border-line">
        {data === null ? (
          <ReportChartSkeleton />
        ) : (
          <ReportChart label={firstChartTitle} report={data} metric="cost" look={look} />
        )}
      </div>
    </section>
  );
}
