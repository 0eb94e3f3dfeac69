/** How sure the cost of a request is, as sentences. */
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

type PricedEntry = Pick<
  LogEntryDetails,
  | 'pricing'
  | 'pricing_version'
  | 'pricing_gaps'
  | 'usage_source'
  | 'missing_usage'
  | 'usage_warnings'
  | 'outcome'
>;

/** Returns where the price is from; `null` without usage. */
export function describePricing(entry: PricedEntry): string | null {
  const { pricing, pricing_version, outcome } = entry;
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
      if (isReservation({ pricing, pricing_version })) {
        return 'The provider did not report all of its usage, or the price is not known. The cost is the amount that the request had reserved from a budget, which is more than most requests cost.';
      }
      if (entry.usage_warnings !== null)
        return 'Calculated with the counts that the provider reported, so the cost is assumed.';
      return outcome === 'interrupted'
        ? 'The response was lost. The cost is that of the estimated input.'
        : 'Calculated with the built-in price of a similar model or tier, without the usage that is missing, or with one of which the invoice may differ, such as by a free allowance.';
    case 'unknown':
      return 'A part of the usage has no known price. The cost counts as 0 until the price can be read, or until an operator sets it and reprices the request.';
    default:
      return pricing satisfies never;
  }
}

function isReservation({
  pricing,
  pricing_version,
}: Pick<PricedEntry, 'pricing' | 'pricing_version'>): boolean {
  return pricing === 'assumed' && pricing_version === null;
}

/** Words for the badge beside the cost; `null` for a certain cost. */
export function uncertaintyTitle(entry: PricedEntry): string | null {
  const { pricing, pricing_version, pricing_gaps, usage_source } = entry;
  if (pricing === 'unknown') return 'Unpriced';
  if (isReservation({ pricing, pricing_version })) return 'Reserved amount';
  if (entry.usage_warnings !== null) return 'Doubtful usage';
  if (usage_source === 'incomplete') return 'Incomplete';
  if (usage_source === 'estimated') return 'Estimated usage';
  if (pricing === 'assumed') return 'Assumed price';
  return pricing_gaps !== null ? 'Incomplete' : null;
}

const kindTitles = {
  input_tokens: 'input tokens',
  output_tokens: 'output tokens',
  cached_input_tokens: 'cached input tokens',
  cache_write_input_tokens: 'cache writes',
  reasoning_tokens: 'reasoning tokens',
  audio_input_tokens: 'audio input tokens',
  image_input_tokens: 'image input tokens',
  audio_output_tokens: 'audio output tokens',
  image_output_tokens: 'image output tokens',
  web_searches: 'web searches',
  page_visits: 'page visits',
  file_searches: 'file searches',
  audio_input_seconds: 'seconds of audio',
} as const;

/** Returns where the token counts are from; `null` if the provider stated them. */
export function describeUsage({ usage_source, missing_usage, pricing }: PricedEntry): string | null {
  switch (usage_source) {
    case 'provider':
      return null;
    case 'incomplete':
      return `The provider did not report ${listOf(missing_usage ?? [], kindTitles)}, or the counts could not be read. They count as 0.`;
    case 'estimated':
      return 'The provider reported no usage, or the response ended before it did. The token counts are estimated from the texts of request and response.';
    case 'missing':
      return pricing === null ? null : 'The provider reported no usage.';
    default:
      return usage_source satisfies never;
  }
}

const warningTitles = {
  counts_decreased: 'a later part of the response had lower counts',
  output_above_limit: 'there is more output than the request allowed',
  total_differs: 'the total is not the sum of its parts',
} as const;

/** Says why reported usage is not credible; `null` if it is. */
export function describeUsageWarnings({ usage_warnings: warnings }: PricedEntry): string | null {
  if (warnings === null) return null;
  return `The usage that the provider reported is not credible: ${listOf(warnings, warningTitles)}.`;
}

function listOf<Name extends string>(names: readonly Name[], titles: Record<Name, string>): string {
  return new Intl.ListFormat('en').format(names.map((name) => titles[name]));
}

const gapTitles = {
  code_execution: 'code execution',
  browser_automation: 'browser automation',
  maps_grounding: 'grounding with maps',
  image_generation: 'generated images',
} as const;

/** Names the charges that the cost does not include; `null` if there are none. */
export function describeGaps({ pricing_gaps }: PricedEntry): string | null {
  if (pricing_gaps === null) return null;
  return `Not included: ${listOf(pricing_gaps, gapTitles)}. The provider charges for it, but the response does not show the amount.`;
}

type UnpricedEntry = Pick<
  LogEntryDetails,
  'outcome' | 'status' | 'finish_reason' | 'error_code' | 'provider_request_id'
>;

/** Says why there is no breakdown. */
export function describeMissingBreakdown(
  entry: Pick<PricedEntry, 'pricing' | 'pricing_version'> & UnpricedEntry,
): string {
  if (isReservation(entry)) return 'A reserved amount has no breakdown.';
  switch (entry.pricing) {
    case null:
      return describeNothingReported(entry);
    case 'provider':
      return 'The provider states the cost as a whole, so there is no breakdown.';
    case 'unknown':
      return 'There is no breakdown without a price.';
    default:
      return 'There is no breakdown: the prices for the time of the request have changed since, or could not be read. It returns when an operator reprices the request.';
  }
}

/** The error codes of the provider's own responses, and of connections that fail or take too long before the request is sent. */
const ambiguousCodes: readonly (string | null)[] = ['provider_unavailable', 'provider_timeout', null];

/** The status of a request for which there was no connection; a provider that is overloaded has another one. */
const unreachableStatus = 502;

/** Says what is known of a request without usage and without a cost. */
function describeNothingReported(entry: UnpricedEntry): string {
  const { outcome, status, finish_reason, error_code, provider_request_id } = entry;
  if (outcome === 'rejected') return 'No provider was called, so the request cost nothing.';
  if (finish_reason === 'content_filter') {
    return 'The provider’s filter blocked the response before any output, and the provider reported neither usage nor a cost. The request counts as $0.';
  }
  if (provider_request_id !== null || !ambiguousCodes.includes(error_code)) {
    return 'The provider answered with an error, and reported neither usage nor a cost. The request counts as $0.';
  }
  return error_code === 'provider_unavailable' && status === unreachableStatus
    ? 'The provider could not be reached, so it did not process the request, which counts as $0.'
    : 'The provider answered with an error, or was not reached. It reported neither usage nor a cost, and the request counts as $0.';
}

/** Names the price that was used, such as "Built-in prices, version 0.0.41"; `null` without one. */
export function describeVersion({ pricing_version }: PricedEntry): string | null {
  if (pricing_version === null) return null;
  if (pricing_version === 'configuration') return 'The settings of the gateway';
  const [, scope, start] = /^(organization|all)@(.+)$/.exec(pricing_version) ?? [];
  if (scope === undefined) return pricing_version;
  return `${scope === 'all' ? 'Set for all organizations' : 'Set for this organization'}, since ${start}`;
}
