import { classNames } from '#dashboard/components/class-names.ts';
import { Section } from '#dashboard/components/section.tsx';
import {
  formatDurationLike,
  formatRoundShare,
  formatShare,
} from '#dashboard/components/values/number-format.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import type { EntryProps } from './entry-props.ts';

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
              <dd className="mt-0.5 font-medium tabular-nums">{formatDurationLike(latencyMs, latencyMs)}</dd>
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
        {formatDurationLike(durationMs, latencyMs)}
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

type PhaseName = 'gateway' | 'first_token' | 'provider' | 'generation';

interface Phase {
  name: PhaseName;
  title: string;
  durationMs: number;
}

type TimedEntry = Pick<LogEntryDetails, 'latency_ms' | 'time_to_first_token_ms' | 'overhead_ms' | 'outcome'>;

/**
 * The phases add up to the latency. The gateway's own share is one phase, although a part of it lies after the provider's
 * first byte, because the entry has only their sum.
 */
export function phasesOf({
  latency_ms: latencyMs,
  time_to_first_token_ms: firstTokenMs,
  overhead_ms: overheadMs,
}: TimedEntry): Phase[] {
  if (overheadMs === null) return [{ name: 'gateway', title: 'Gateway', durationMs: latencyMs }];
  const gatewayMs = Math.min(overheadMs, latencyMs);
  const gateway: Phase = { name: 'gateway', title: 'Gateway', durationMs: gatewayMs };
  if (firstTokenMs === null) {
    return [gateway, { name: 'provider', title: 'Provider', durationMs: latencyMs - gatewayMs }];
  }
  const firstTokenAtMs = Math.min(Math.max(firstTokenMs, gatewayMs), latencyMs);
  return [
    gateway,
    { name: 'first_token', title: 'Provider until the first token', durationMs: firstTokenAtMs - gatewayMs },
    { name: 'generation', title: 'Generation', durationMs: latencyMs - firstTokenAtMs },
  ];
}

/** Says who took the time, as a sentence. */
export function describeTime(entry: TimedEntry): string {
  if (entry.outcome === 'interrupted') {
    return 'The gateway stopped before the response ended, so only the time until the request was sent is known.';
  }
  if (entry.overhead_ms === null) return 'The gateway rejected the request before a provider was called.';
  if (entry.latency_ms === 0) return 'The request took less than a millisecond.';
  const [gateway] = phasesOf(entry);
  const gatewayShare = (gateway?.durationMs ?? 0) / entry.latency_ms;
  return gatewayShare > 0.5
    ? `The gateway took ${roundedShare(gatewayShare)} of the time.`
    : `The provider took ${roundedShare(1 - gatewayShare)} of the time.`;
}

/** Without "100%" for a part that is not everything. */
function roundedShare(share: number): string {
  if (share > 0.9995 && share < 1) return `more than ${formatShare(0.999)}`;
  return formatRoundShare(share > 0.99 ? share : Math.round(share * 100) / 100);
}
