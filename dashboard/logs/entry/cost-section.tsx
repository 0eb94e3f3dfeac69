import { Badge } from '#dashboard/components/badge.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { BreakdownTable } from './breakdown-table.tsx';
import {
  describeGaps,
  describeMissingBreakdown,
  describePricing,
  describeUsage,
  describeUsageWarnings,
  describeVersion,
  uncertaintyTitle,
} from './certainty.ts';
import type { EntryProps } from './entry-props.ts';
import { describeMainCharge } from './main-charge.ts';

/** Shows the cost of the request, and how certain it is. */
export function CostSection({ entry }: EntryProps) {
  const uncertainty = uncertaintyTitle(entry);
  const sentences = [
    describePricing(entry),
    describeUsage(entry),
    describeUsageWarnings(entry),
    describeGaps(entry),
  ].filter((sentence) => sentence !== null);
  return (
    <Section
      title="Cost"
      description={describeMainCharge(entry)}
      action={uncertainty && <Badge tone="warning">{uncertainty}</Badge>}
    >
      {entry.cost_breakdown ? (
        <BreakdownTable parts={entry.cost_breakdown} total={entry.cost_usd} />
      ) : (
        <div className="px-5 py-4">
          <p className="text-lg font-semibold tabular-nums">
            <EntryCost entry={entry} unreported="No cost reported">
              {formatExactUsd(entry.cost_usd)}
            </EntryCost>
          </p>
          <p className="mt-1 text-muted">{describeMissingBreakdown(entry)}</p>
        </div>
      )}
      {sentences.length > 0 && (
        <div className="flex flex-col gap-1 border-t border-line px-5 py-3.5 text-[0.8125rem] text-muted">
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <Version version={describeVersion(entry)} />
        </div>
      )}
    </Section>
  );
}

function Version({ version }: { version: string | null }) {
  if (version === null) return null;
  return (
    <p>
      Prices: <span className="wrap-anywhere text-text">{version}</span>
    </p>
  );
}
