import { Badge } from '#dashboard/components/badge.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { formatCount, formatRoundShare } from '#dashboard/components/values/number-format.ts';
import { rateTitle } from '#dashboard/components/values/rates.ts';
import { formatExactUsd, isGreaterUsd } from '#dashboard/components/values/usd-format.ts';
import type { BilledPart, Charge, LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
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

/** Names the charge that costs the most, such as "82% is for output."; `null` if there is nothing to compare. */
export function describeMainCharge({
  cost_usd,
  cost_breakdown: parts,
}: Pick<LogEntryDetails, 'cost_usd' | 'cost_breakdown'>): string | null {
  const charges =
    parts?.flatMap(({ model, charges }) => charges.map((charge) => ({ ...charge, model }))) ?? [];
  if (parts === null || charges.length < 2 || !isGreaterUsd(cost_usd, '0')) return null;
  const main = charges.reduce((most, charge) =>
    isGreaterUsd(charge.cost_usd, most.cost_usd) ? charge : most,
  );
  // Both are small enough for a share in whole percent.
  const share = Math.round((100 * Number(main.cost_usd)) / Number(cost_usd)) / 100;
  const title = rateTitle(main.type).toLowerCase();
  return `${formatRoundShare(share)} is for ${title}${parts.length > 1 ? ` of ${main.model}` : ''}.`;
}

interface BreakdownTableProps {
  parts: readonly BilledPart[];
  /** The parts add up to it. */
  total: string;
}

const cellClasses = 'px-2 py-2.5 text-right tabular-nums sm:px-4';
const headClasses = 'px-2 pt-3 pb-1 text-right text-xs font-medium text-muted sm:px-4';

/** Count × price of each charge. Parts have headings and sums of their own if there is more than one. */
function BreakdownTable({ parts, total }: BreakdownTableProps) {
  const isSplit = parts.length > 1;
  return (
    <table className="w-full">
      <caption className="sr-only">Cost breakdown</caption>
      <thead>
        <tr>
          <th scope="col" className="pt-3 pb-1 pl-5 text-left text-xs font-medium text-muted">
            Charge
          </th>
          <th scope="col" className={`${headClasses} max-sm:hidden`}>
            Count
          </th>
          <th scope="col" className={`${headClasses} max-sm:hidden`}>
            Price
          </th>
          <th scope="col" className="pt-3 pr-5 pb-1 text-right text-xs font-medium text-muted">
            Cost
          </th>
        </tr>
      </thead>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of the same model can be alike, and nothing moves.
        <tbody key={index}>
          {isSplit && (
            <tr className="border-t border-line">
              <th scope="rowgroup" colSpan={4} className="px-5 pt-3 pb-1 text-left font-medium">
                {part.model}
              </th>
            </tr>
          )}
          {part.charges.map((charge) => (
            <ChargeRow
              key={`${charge.type} ${charge.price_usd}`}
              charge={charge}
              title={chargeTitle(charge, part.charges)}
            />
          ))}
          {isSplit && <SumRow title={`Subtotal of ${part.model}`} amount={part.cost_usd} isSubtotal />}
        </tbody>
      ))}
      <tfoot>
        <SumRow title="Total" amount={total} />
      </tfoot>
    </table>
  );
}

const cacheTypes = ['cached_text_input_tokens', 'cache_write_5m_input_tokens', 'cache_write_1h_input_tokens'];

/** The input beside a charge for the cache is only what is left of it. */
export function chargeTitle(
  { type }: Pick<Charge, 'type'>,
  charges: readonly Pick<Charge, 'type'>[],
): string {
  const isRest =
    type === 'uncached_text_input_tokens' && charges.some((charge) => cacheTypes.includes(charge.type));
  return isRest ? `${rateTitle(type)}, not cached` : rateTitle(type);
}

function ChargeRow({ charge, title }: { charge: Charge; title: string }) {
  const { count, price_usd, cost_usd } = charge;
  const price = formatExactUsd(price_usd);
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2.5 pl-5 text-left font-normal">
        {title}
        <span className="block text-[0.8125rem] text-muted tabular-nums sm:hidden">
          {formatCount(count)} × {price} {priceUnit(charge)}
        </span>
      </th>
      <td className={`${cellClasses} max-sm:hidden`}>{formatCount(count)}</td>
      <td className={`${cellClasses} whitespace-nowrap max-sm:hidden`}>
        {price} <span className="text-muted">{priceUnit(charge)}</span>
      </td>
      <td className="py-2.5 pr-5 text-right whitespace-nowrap tabular-nums">{formatExactUsd(cost_usd)}</td>
    </tr>
  );
}

function SumRow({
  title,
  amount,
  isSubtotal = false,
}: {
  title: string;
  amount: string;
  isSubtotal?: boolean;
}) {
  return (
    <tr className="border-t border-line font-medium">
      <th scope="row" className="py-3 pl-5 text-left font-medium">
        {isSubtotal ? <span className="text-muted">{title}</span> : title}
      </th>
      <td className="max-sm:hidden" />
      <td className="max-sm:hidden" />
      <td className="py-3 pr-5 text-right whitespace-nowrap tabular-nums">{formatExactUsd(amount)}</td>
    </tr>
  );
}

/** The unit of a price: "per 1M tokens", "per 1,000". */
export function priceUnit({ type, per }: Pick<Charge, 'type' | 'per'>): string {
  if (type === 'audio_input_seconds') return per === 60 ? 'per minute' : `per ${formatCount(per)} seconds`;
  const isTokens = type.endsWith('_tokens');
  const count = per === 1_000_000 ? '1M' : formatCount(per);
  if (isTokens) return `per ${count} tokens`;
  return per === 1 ? 'each' : `per ${count}`;
}
