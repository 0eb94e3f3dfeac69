/**
 * A reference implementation of `GET /api/costs`, which adds the entries up one by one. It is independent of the code under
 * test, except for the codes under which errors are counted and for percentiles within a histogram.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { countedErrorCode } from '#lambdas/request-log/error-code.ts';
import { countRequests, expectedTotals, isRequest, sumUnits } from './expected-totals.ts';
import { type ExpectedWindow, seriesElements } from './expected-window.ts';

export interface CostParameters {
  /** Bounds in milliseconds since 1970. */
  start: number | null;
  end: number | null;
  model: string | null;
  provider: string | null;
  service_tier: string | null;
  operation: string | null;
  api_key_id: string | null;
  prompt_id: string | null;
  session_id: string | null;
  user_id: string | null;
  route: string | null;
  error_code: string | null;
  group_by: string | null;
  limit: number | null;
  interval: 'minute' | 'hour' | 'day' | 'month' | null;
  time_zone: string | null;
  compare: 'previous' | null;
  /** The bounds of the range to compare with, in milliseconds since 1970. */
  compare_start: number | null;
  compare_end: number | null;
}

export const noParameters: CostParameters = {
  start: null,
  end: null,
  model: null,
  provider: null,
  service_tier: null,
  operation: null,
  api_key_id: null,
  prompt_id: null,
  session_id: null,
  user_id: null,
  route: null,
  error_code: null,
  group_by: null,
  limit: null,
  interval: null,
  time_zone: null,
  compare: null,
  compare_start: null,
  compare_end: null,
};

const valueFields = ['api_key_id', 'prompt_id', 'session_id', 'user_id', 'route', 'error_code'] as const;

export function toQueryString({
  start,
  end,
  compare_start,
  compare_end,
  limit,
  ...rest
}: CostParameters): string {
  const parameters = {
    ...rest,
    start: toTimestamp(start),
    end: toTimestamp(end),
    compare_start: toTimestamp(compare_start),
    compare_end: toTimestamp(compare_end),
    limit: limit === null ? null : String(limit),
  };
  const present = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return String(new URLSearchParams(present));
}

/** Parses amounts of money as strings: `number` would round them. Omits the time up to which everything is counted. */
export function parseCosts(body: string): Record<string, unknown> {
  const { complete_until: _, ...costs } = JSON.parse(body, (name, value, context?: { source?: string }) =>
    name.endsWith('cost_usd') ? context?.source : value,
  ) as Record<string, unknown>;
  return costs;
}

export function createdMs(entry: LogEntry): number {
  return Date.parse(entry.created_at);
}

export function isCounted(entry: LogEntry): boolean {
  return entry.outcome !== 'rejected' && entry.model !== null && entry.provider !== null;
}

export function isByCode({ group_by, error_code }: CostParameters): boolean {
  return group_by === 'error_code' || error_code !== null;
}

/** Only by error code, rejected requests have a model and provider. They never have a service tier or metadata. */
function countsRejected(parameters: CostParameters): boolean {
  const { model, provider, service_tier, prompt_id, session_id, user_id } = parameters;
  const isUnknown = [model, provider, prompt_id, session_id, user_id].some((filter) => filter !== null);
  return service_tier === null && (isByCode(parameters) || !isUnknown);
}

function countsRejectedByGroup(parameters: CostParameters): boolean {
  const { group_by } = parameters;
  const isKnown = isByCode(parameters) || ['api_key', 'route', 'operation'].includes(group_by ?? '');
  return isKnown && countsRejected(parameters);
}

function isCountedRejection(entry: LogEntry, parameters: CostParameters): boolean {
  if (entry.outcome !== 'rejected' || !countsRejected(parameters)) return false;
  return entry.error_code !== null || !isByCode(parameters);
}

/** Whether the entry is in the sums of the query, apart from its time and the filters by model, tier and operation. */
export function isInSums(entry: LogEntry, parameters: CostParameters): boolean {
  const isIncluded = isCounted(entry) || isCountedRejection(entry, parameters);
  return (
    isIncluded && valueFields.every((field) => [null, fieldOf(entry, field)].includes(parameters[field]))
  );
}

function fieldOf(entry: LogEntry, field: (typeof valueFields)[number]): string | null {
  return field === 'error_code' ? countedErrorCode(entry) : entry[field];
}

/** The dimension that has the sums, if it is not the totals. */
function valueField(parameters: CostParameters): (typeof valueFields)[number] | undefined {
  return valueFields.find((field) => parameters[field] !== null);
}

const withHistograms = ['model', 'provider', 'operation', 'api_key', 'api_key_id', 'prompt_id', null];

export function expectedCosts(entries: LogEntry[], parameters: CostParameters, window: ExpectedWindow) {
  const matching = entries.filter((entry) => isInSums(entry, parameters) && matches(entry, parameters));
  const inside = matching.filter((entry) => isIn(entry, window));
  const filtered = valueField(parameters) ?? null;
  const sum = (
    each: LogEntry[],
    hasHistograms = withHistograms.includes(filtered),
    rejected = countsRejected(parameters),
  ) => expectedTotals(each, { hasHistograms, countsRejected: rejected });
  const summary = (each: LogEntry[]) => {
    const { requests, cost_usd, input_tokens, output_tokens, ...rest } = sum(each);
    return {
      total_requests: requests,
      total_cost_usd: cost_usd,
      total_input_tokens: input_tokens,
      total_output_tokens: output_tokens,
      ...rest,
    };
  };
  const { group_by } = parameters;
  const sumGroup = (each: LogEntry[]) =>
    sum(
      each,
      withHistograms.includes(filtered) && withHistograms.includes(group_by),
      countsRejectedByGroup(parameters),
    );
  const grouped = (each: LogEntry[]) =>
    each.filter((entry) => isCounted(entry) || countsRejectedByGroup(parameters));
  const listed = group_by === null ? [] : topValues(grouped(inside), group_by, parameters.limit ?? 100);
  const { previous } = window;
  const before = previous === undefined ? [] : matching.filter((entry) => isIn(entry, previous));
  const listedBefore = group_by === null ? [] : topValues(grouped(before), group_by, parameters.limit ?? 100);
  return {
    ...summary(inside),
    by_model: Object.fromEntries(
      groupEntries(
        inside.filter((entry) => isCounted(entry) || valueField(parameters) === 'error_code'),
        ({ model }) => model,
      )
        .filter(([model]) => model !== null)
        .map(([model, each]) => [
          model,
          sum(each, undefined, filtered === 'error_code' && countsRejected(parameters)),
        ]),
    ),
    window: windowJson(window),
    time_zone: parameters.time_zone ?? 'UTC',
    max_percentile_error: 0.19,
    ...(group_by !== null && { group_by, ...groupList(grouped(inside), group_by, listed, sumGroup) }),
    ...(parameters.interval !== null && {
      interval: parameters.interval,
      series: seriesElements(window, parameters).map(({ start, end }) => {
        const members = inside.filter((entry) => isIn(entry, { start, end }));
        const groups = group_by === null ? {} : groupList(grouped(members), group_by, listed, sumGroup);
        return { start: toTimestamp(start), end: toTimestamp(end), ...sum(members), ...groups };
      }),
    }),
    ...(previous !== undefined && {
      previous: {
        window: windowJson(previous),
        days: countDays(before, previous, parameters),
        ...summary(before),
        ...(group_by !== null &&
          groupList(grouped(before), group_by, [...new Set([...listed, ...listedBefore])], sumGroup)),
      },
    }),
  };
}

/** Days begin at the full hour before local midnight, but for the first one. */
function countDays(entries: LogEntry[], { start, end }: ExpectedWindow, parameters: CostParameters) {
  const range = { start: Number(start), end: Number(end), roundedTo: null };
  if (range.end - range.start > 95 * 24 * 3_600_000) return null;
  const days = seriesElements(range, { ...parameters, interval: 'day' });
  if (days.length > 93) return null;
  const counted = entries.filter((entry) => isCounted(entry) && isRequest(entry)).map(createdMs);
  const isInDay = (ms: number, index: number) =>
    ms >= startOf(days, index) && ms < (index + 1 < days.length ? startOf(days, index + 1) : range.end);
  const withRequests = days.filter((_, index) => counted.some((ms) => isInDay(ms, index)));
  return { with_requests: withRequests.length, total: days.length };
}

function startOf(days: { start: number }[], index: number): number {
  const [first, day] = [days[0]?.start ?? 0, days[index]?.start ?? 0];
  return index === 0 ? first : Math.max(first, Math.floor(day / 3_600_000) * 3_600_000);
}

/** The entries whose durations are known, of the requests in the totals. */
export function timedEntries(entries: LogEntry[], parameters: CostParameters, window: ExpectedWindow) {
  return entries.filter(
    (entry) =>
      isInSums(entry, parameters) &&
      matches(entry, parameters) &&
      isIn(entry, window) &&
      isRequest(entry) &&
      entry.outcome !== 'rejected' &&
      entry.outcome !== 'interrupted',
  );
}

function windowJson({ start, end, roundedTo }: ExpectedWindow) {
  return { start: toTimestamp(start), end: toTimestamp(end), rounded_to: roundedTo };
}

function isIn(entry: LogEntry, { start, end }: { start: number | null; end: number | null }): boolean {
  const time = createdMs(entry);
  return (start === null || time >= start) && (end === null || time < end);
}

function matches(entry: LogEntry, parameters: CostParameters): boolean {
  const { model, provider, service_tier, operation } = parameters;
  const isModel = model === null || entry.model === model || `${entry.provider}/${entry.model}` === model;
  const tier = entry.outcome === 'rejected' ? null : entry.service_tier;
  return (
    isModel &&
    (service_tier === null || tier === service_tier) &&
    (operation === null || entry.operation === operation) &&
    [null, entry.provider].includes(provider)
  );
}

type Value = string | null;

function groupEntries(entries: LogEntry[], nameOf: (entry: LogEntry) => Value): [Value, LogEntry[]][] {
  return [...Map.groupBy(entries, nameOf)];
}

function groupField(groupBy: string): string {
  return groupBy === 'api_key' ? 'api_key_id' : groupBy;
}

function requestedGroups(entries: LogEntry[], groupBy: string): [Value, LogEntry[]][] {
  if (groupBy !== 'error_code')
    return groupEntries(entries, (entry) => entry[groupField(groupBy) as keyof LogEntry] as Value);
  return groupEntries(
    entries.filter((entry) => entry.error_code !== null),
    countedErrorCode,
  );
}

function topValues(entries: LogEntry[], groupBy: string, limit: number): Value[] {
  const groups = requestedGroups(entries, groupBy);
  groups.sort(([value, one], [otherValue, other]) => {
    const costDifference = groupBy === 'error_code' ? 0n : costOf(other) - costOf(one);
    if (costDifference !== 0n) return costDifference > 0n ? 1 : -1;
    const counts = [one, other].map((each) =>
      countRequests(groupBy === 'error_code' ? each : each.filter(isCounted)),
    );
    if (counts[0] !== counts[1]) return Number(counts[1]) - Number(counts[0]);
    if (value === null || otherValue === null) return value === null ? 1 : -1;
    return value < otherValue ? -1 : 1;
  });
  return groups.slice(0, limit).map(([value]) => value);
}

function costOf(entries: LogEntry[]): bigint {
  return sumUnits(entries.filter(isCounted));
}

function groupList(
  entries: LogEntry[],
  groupBy: string,
  listed: Value[],
  sum: (entries: LogEntry[]) => ReturnType<typeof expectedTotals>,
) {
  const groups = requestedGroups(entries, groupBy);
  const others = groups.filter(([value]) => !listed.includes(value));
  return {
    groups: listed.flatMap((value) =>
      groups
        .filter(([name]) => name === value)
        .map(([name, members]) => ({ [groupField(groupBy)]: name, ...sum(members) })),
    ),
    other:
      others.length === 0
        ? null
        : { groups: others.length, ...sum(others.flatMap(([, members]) => members)) },
  };
}

function toTimestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
