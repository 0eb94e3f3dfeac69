import { classNames } from '#dashboard/components/class-names.ts';
import { Section } from '#dashboard/components/section.tsx';
import { formatCount, formatRoundShare } from '#dashboard/components/values/number-format.ts';
import type { EntryProps } from './entry-props.ts';
import { describeTime, type Phase, type PhaseName, phasesOf } from './timeline.ts';

const colours: Record<PhaseName, string> = {
  gateway: 'bg-placeholder',
  first_token: 'bg-chart-2',
  provider: 'bg-chart-1',
  generation: 'bg-chart-1',
};

/** Shows how the latency divides between gateway and provider, from receipt to the end of the response. */
export function TimelineSection({ entry }: EntryProps) {
  const phases = phasesOf(entry);
  const { latency_ms: latencyMs, retries } = entry;
  return (
    <Section title="Time" description={describeTime(entry)}>
      <div className="px-5 py-5">
        <div aria-hidden className="flex h-7 gap-0.5 overflow-hidden rounded-md">
          {phases.map(({ name, durationMs }) => (
            <div
              key={name}
              // A short phase stays visible.
              style={{ flexGrow: durationMs, flexBasis: 0, minWidth: durationMs > 0 ? 3 : 0 }}
              className={colours[name]}
            />
          ))}
        </div>
        <div aria-hidden className="mt-1.5 flex justify-between text-xs text-muted tabular-nums">
          <span>Received</span>
          <span>{entry.outcome === 'interrupted' ? 'Sent to the provider' : 'Response ended'}</span>
        </div>
        <dl className="mt-4 grid gap-x-8 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
          {phases.map((phase) => (
            <PhaseItem key={phase.name} phase={phase} latencyMs={latencyMs} />
          ))}
          {phases.length > 1 && (
            <div>
              <dt className="text-[0.8125rem] text-muted">In total</dt>
              <dd className="mt-0.5 font-medium tabular-nums">{formatCount(latencyMs)} ms</dd>
            </div>
          )}
        </dl>
        <Notes retries={retries} overheadMs={entry.overhead_ms} />
      </div>
    </Section>
  );
}

function PhaseItem({ phase: { name, title, durationMs }, latencyMs }: { phase: Phase; latencyMs: number }) {
  return (
    <div>
      <dt className="flex items-center gap-2 text-[0.8125rem] text-muted">
        <span aria-hidden className={classNames('size-2 shrink-0 rounded-full', colours[name])} />
        {title}
      </dt>
      <dd className="mt-0.5 font-medium tabular-nums">
        {formatCount(durationMs)} ms
        {latencyMs > 0 && (
          <span className="ml-2 font-normal text-muted">{formatRoundShare(durationMs / latencyMs)}</span>
        )}
      </dd>
    </div>
  );
}

function Notes({ retries, overheadMs }: { retries: number | null; overheadMs: number | null }) {
  if (overheadMs === null) return null;
  return (
    <p className="mt-4 text-[0.8125rem] text-muted">
      The gateway’s share is the time before it sent the request, and between the provider’s first byte and
      its own.
      {retries !== null &&
        ` The provider’s time includes ${retries === 1 ? 'a retry' : `${retries} retries`} and the waiting before.`}
    </p>
  );
}
