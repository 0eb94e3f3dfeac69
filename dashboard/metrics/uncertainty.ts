/**
 * The uncertain part of a sum of costs in words. An assumed cost has a price, or a part of its usage, that is not certain; an
 * estimated one has a certain price, but its usage is estimated from the texts. Unpriced requests have no cost in the sum.
 */
import { formatCount, formatRequests, formatShare } from '#dashboard/components/values/number-format.ts';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';

type Share = Pick<CostTotals, 'uncertain_cost_share'>;
type Counts = Pick<CostTotals, 'unpriced_requests' | 'assumed_requests' | 'estimated_requests'>;
type Amounts = Pick<CostTotals, 'assumed_cost_usd' | 'estimated_cost_usd'>;

/** A projection has the share alone, and does not count its assumed and estimated requests. */
export type UncertainSum = Share & Pick<Counts, 'unpriced_requests'> & Partial<Counts>;

export function isCertain(sum: UncertainSum): boolean {
  return sum.unpriced_requests === 0 && !hasUncertainCost(sum);
}

function hasUncertainCost({
  uncertain_cost_share: share,
  assumed_requests: assumed = 0,
  estimated_requests: estimated = 0,
}: UncertainSum): boolean {
  return assumed + estimated > 0 || Number(share) > 0;
}

/** Returns one text for a mark beside the sum; `null` for a certain one. */
export function describeUncertainty(sum: UncertainSum): string | null {
  const parts = [describeUncertainCost(sum), describeUnpriced(sum)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

function describeUncertainCost(sum: UncertainSum): string | null {
  if (!hasUncertainCost(sum)) return null;
  const { assumed_requests: assumed, estimated_requests: estimated } = sum;
  const kinds =
    assumed === undefined || estimated === undefined
      ? ['assumed', 'estimated']
      : [
          ...(assumed > 0 ? [`assumed (${formatRequests(assumed)})`] : []),
          ...(estimated > 0 ? [`estimated (${formatRequests(estimated)})`] : []),
        ];
  const share = shareText(sum);
  return `${share === null ? 'This' : `${share} of this`} is ${kinds.join(' or ')}`;
}

function describeUnpriced({ unpriced_requests: count }: Pick<Counts, 'unpriced_requests'>): string | null {
  if (count === 0) return null;
  return `${formatRequests(count)} ${count === 1 ? 'has no known price, and counts' : 'have no known price, and count'} as $0`;
}

export function unpricedSentence(sum: Pick<Counts, 'unpriced_requests'>): string | null {
  const text = describeUnpriced(sum);
  return text && `${text}.`;
}

/** Returns a sentence for the share, if there is one, and one for each kind of uncertain cost. */
export function uncertainCostSentences(
  sum: Share & Counts & Amounts,
  formatAmount: (amount: string) => string,
): string[] {
  if (!hasUncertainCost(sum)) return [];
  const { assumed_requests: assumed, estimated_requests: estimated } = sum;
  const share = shareText(sum);
  const sentences = [
    share && `${share} of the cost is not certain.`,
    assumed > 0 &&
      `${formatAmount(sum.assumed_cost_usd)} is assumed (${formatRequests(assumed)}): the price or a part of the usage is not certain.`,
    estimated > 0 &&
      `${formatAmount(sum.estimated_cost_usd)} is estimated (${formatRequests(estimated)}): the usage is estimated from the texts, since the provider did not report all of it.`,
  ];
  return sentences.filter((sentence) => typeof sentence === 'string');
}

/** Returns the counts alone, such as "Requests: 2 assumed, 1 without a known price"; `null` for a certain sum. */
export function countsText({
  unpriced_requests: unpriced,
  assumed_requests: assumed,
  estimated_requests: estimated,
}: Counts): string | null {
  const counts = [
    [assumed, 'assumed'],
    [estimated, 'estimated'],
    [unpriced, 'without a known price'],
  ] as const;
  const texts = counts.filter(([count]) => count > 0).map(([count, kind]) => `${formatCount(count)} ${kind}`);
  return texts.length === 0 ? null : `Requests: ${texts.join(', ')}`;
}

/** Null if the whole sum is 0. A share that rounds to 0 is not called so, since there are uncertain costs. */
function shareText({ uncertain_cost_share: share }: Share): string | null {
  return share === null ? null : formatShare(Math.max(share, Number.MIN_VALUE));
}
