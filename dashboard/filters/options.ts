/** The values that a filter offers. */

import { operationTitles } from '#dashboard/components/request/operation.ts';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { formatCompact } from '#dashboard/components/values/number-format.ts';
import type {
  CostGroup,
  GroupBy,
  ListedLogEntry,
  ProviderSummary,
} from '#lambdas/accounts/analytics/responses.ts';
import type { FilterName } from './fields.ts';

export interface FilterOption {
  value: string;
  label: string;
  detail?: string;
}

export const outcomeOptions: readonly FilterOption[] = Object.entries(outcomeLooks).map(
  ([value, { title }]) => ({
    value,
    label: title,
  }),
);

export const operationOptions: readonly FilterOption[] = Object.entries(operationTitles).map(
  ([value, label]) => ({ value, label }),
);

const statusTexts: Record<number, string> = {
  200: 'OK',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'Request too large',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'Bad gateway',
  503: 'Unavailable',
  504: 'Gateway timeout',
};

export const statusOptions: readonly FilterOption[] = Object.entries(statusTexts).map(([value, detail]) => ({
  value,
  label: value,
  detail,
}));

/** Reasons of OpenAI's format first, then Anthropic's. */
export const finishReasonOptions: readonly FilterOption[] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'end_turn',
  'max_tokens',
  'tool_use',
  'stop_sequence',
  'refusal',
].map((value) => ({ value, label: value }));

/** The filters whose values are read from reports, which group by the same names. */
const reportedNames = [
  'model',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'error_code',
] as const satisfies readonly (FilterName & GroupBy)[];

export type ReportedName = (typeof reportedNames)[number];

export function isReported(name: FilterName): name is ReportedName {
  return reportedNames.some((reported) => reported === name);
}

/** The values of a report, without the requests that have none. */
export function reportedOptions(groups: readonly Pick<CostGroup, 'value' | 'totals'>[]): FilterOption[] {
  return groups.flatMap(({ value, totals }) => {
    const requests = totals.requests + (totals.rejected_requests ?? 0);
    const detail = `${formatCompact(requests)} ${requests === 1 ? 'request' : 'requests'}`;
    return value === null ? [] : [{ value, label: value, detail }];
  });
}

/** The providers that are set up first. */
export function providerOptions(providers: readonly ProviderSummary[]): FilterOption[] {
  const setUp = providers.filter((provider) => provider.set_up);
  const others = providers.filter((provider) => !provider.set_up);
  return [...setUp, ...others].map(({ name, set_up }) => ({
    value: name,
    label: name,
    detail: set_up ? undefined : 'Not set up',
  }));
}

const maxSuggestions = 8;

/** Values of the listed entries, the newest first. */
export function suggestedOptions(name: FilterName, entries: readonly ListedLogEntry[]): FilterOption[] {
  // Every request has another one.
  if (name === 'response_id' || name === 'provider_request_id') return [];
  const values = new Set<string>();
  for (const entry of entries) {
    const value = entry[name];
    if (value !== null) values.add(String(value));
    if (values.size === maxSuggestions) break;
  }
  return [...values].map((value) => ({ value, label: value }));
}
