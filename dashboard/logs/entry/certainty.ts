/** How sure the cost of a request is, as sentences. */
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

type PricedEntry = Pick<
  LogEntryDetails,
  | 'pricing'
  | 'pricing_version'
  | 'pricing_gaps'
  | 'usage_source'
  | 'cost_breakdown'
  | 'outcome'
  | 'reserved_usd'
>;

/** Returns where the price is from; null without usage. */
export function describePricing({ pricing, outcome, reserved_usd }: PricedEntry): string | null {
  switch (pricing) {
    case null:
      return null;
    case 'provider':
      return 'The provider stated the cost in its response, or showed that nothing is charged.';
    case 'configuration':
      return 'Calculated with the prices that the operator has set.';
    case 'table':
      return 'Calculated with the built-in prices of this model and tier.';
    case 'assumed':
      return outcome === 'interrupted' && reserved_usd !== null
        ? 'The response was lost. The cost is the amount that the request had reserved from a budget, which is more than it can have cost.'
        : 'Calculated with the built-in price of a similar model or tier, or one of which the invoice may differ, such as by a free allowance.';
    case 'unknown':
      return 'A part of the usage has no known price, or could not be read. The cost counts as 0 until an operator sets the price and reprices the request.';
    default:
      return pricing satisfies never;
  }
}

/** A word for the badge beside the cost; null for a certain cost. */
export function uncertaintyOf({ pricing, pricing_gaps, usage_source }: PricedEntry): string | null {
  if (pricing === 'unknown') return 'Unpriced';
  if (pricing === 'assumed') return 'Assumed price';
  if (usage_source === 'estimated') return 'Estimated usage';
  return pricing_gaps !== null ? 'Incomplete' : null;
}

/** Returns where the token counts are from; null if the provider stated them. */
export function describeUsage({ usage_source, pricing }: PricedEntry): string | null {
  switch (usage_source) {
    case 'provider':
      return null;
    case 'incomplete':
      return 'A count in the usage that the provider reported could not be read.';
    case 'estimated':
      return 'The stream ended before the provider reported its usage. The token counts are estimated from the text received.';
    case 'missing':
      return pricing === null ? null : 'The provider reported no usage.';
    default:
      return usage_source satisfies never;
  }
}

const gapTitles = {
  code_execution: 'code execution',
  browser_automation: 'browser automation',
  maps_grounding: 'grounding with maps',
} as const;

/** Names the charges that the cost does not include; null if there are none. */
export function describeGaps({ pricing_gaps }: PricedEntry): string | null {
  if (pricing_gaps === null) return null;
  const gaps = new Intl.ListFormat('en').format(pricing_gaps.map((gap) => gapTitles[gap]));
  return `Not included: ${gaps}. The provider charges for it, but the response does not show the amount.`;
}

/** Says why there is no breakdown. */
export function describeMissingBreakdown({ pricing }: PricedEntry): string {
  switch (pricing) {
    case null:
      return 'There was no usage, so nothing is charged.';
    case 'provider':
      return 'The provider states the cost as a whole, so there is no breakdown.';
    case 'unknown':
      return 'There is no breakdown without a price.';
    default:
      return 'There is no breakdown: the prices for the time of the request have changed since, or could not be read. It returns when an operator reprices the request.';
  }
}

/** Names the price that was used, such as "Built-in prices, version 0.0.41"; null without one. */
export function describeVersion({ pricing_version }: PricedEntry): string | null {
  if (pricing_version === null) return null;
  if (pricing_version === 'configuration') return 'The settings of the gateway';
  const [, scope, start] = /^(organization|all)@(.+)$/.exec(pricing_version) ?? [];
  if (scope === undefined) return pricing_version;
  return `${scope === 'all' ? 'Set for all organizations' : 'Set for this organization'}, since ${start}`;
}
