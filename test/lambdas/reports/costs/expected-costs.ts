/**
 * A reference implementation of `GET /api/costs`, which adds the entries up one by one. It is independent of the code under
 * test, and counts money in integer units of 10⁻¹² dollars.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface CostParameters {
  /** Bounds in milliseconds since 1970. */
  start: number | null;
  end: number | null;
  model: string | null;
  provider: string | null;
  service_tier: string | null;
  group_by: string | null;
  limit: number | null;
  interval: 'hour' | 'day' | null;
}

export const noParameters: CostParameters = {
  start: null,
  end: null,
  model: null,
  provider: null,
  service_tier: null,
  group_by: null,
  limit: null,
  interval: null,
};

export interface ExpectedWindow {
  start: number | null;
  end: number | null;
  roundedTo: 'minute' | 'hour' | null;
}

export function toQueryString({ start, end, limit, ...rest }: CostParameters): string {
  const parameters = {
    ...rest,
    start: start === null ? null : new Date(start).toISOString(),
    end: end === null ? null : new Date(end).toISOString(),
    limit: limit === null ? null : String(limit),
  };
  const present = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return String(new URLSearchParams(present));
}

/** Parses amounts of money as strings: `number` would round them. */
export function parseCosts(body: string): Record<string, unknown> {
  return JSON.parse(body, (name, value, context?: { source?: string }) =>
    name.endsWith('cost_usd') ? context?.source : value,
  ) as Record<string, unknown>;
}

export function createdMs(entry: LogEntry): number {
  return Date.parse(entry.created_at);
}

export function isCounted(entry: LogEntry): boolean {
  return entry.outcome !== 'rejected' && entry.model !== null && entry.provider !== null;
}

export function expectedCosts(entries: LogEntry[], parameters: CostParameters, window: ExpectedWindow) {
  const inside = entries.filter(
    (entry) => isCounted(entry) && matches(entry, parameters) && isIn(entry, window),
  );
  const { requests, cost_usd, input_tokens, output_tokens, ...rest } = sum(inside);
  const listed = parameters.group_by === null ? [] : topValues(inside, parameters);
  return {
    total_requests: requests,
    total_cost_usd: cost_usd,
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    ...rest,
    by_model: Object.fromEntries(
      groupEntries(inside, ({ model }) => model).map(([model, each]) => [model, sum(each)]),
    ),
    window: { start: toTimestamp(window.start), end: toTimestamp(window.end), rounded_to: window.roundedTo },
    ...(parameters.group_by !== null && {
      group_by: parameters.group_by,
      ...groupList(inside, parameters, listed),
    }),
    ...(parameters.interval !== null && {
      interval: parameters.interval,
      series: seriesElements(window, parameters.interval).map(({ start, end }) => {
        const elementEntries = inside.filter((entry) => isIn(entry, { start, end }));
        const groups = parameters.group_by === null ? {} : groupList(elementEntries, parameters, listed);
        return { start: toTimestamp(start), end: toTimestamp(end), ...sum(elementEntries), ...groups };
      }),
    }),
  };
}

function isIn(entry: LogEntry, { start, end }: { start: number | null; end: number | null }): boolean {
  const time = createdMs(entry);
  return (start === null || time >= start) && (end === null || time < end);
}

function matches(entry: LogEntry, { model, provider, service_tier }: CostParameters): boolean {
  const isModel = model === null || entry.model === model || `${entry.provider}/${entry.model}` === model;
  const isTier = service_tier === null || entry.service_tier === service_tier;
  return isModel && isTier && (provider === null || entry.provider === provider);
}

function sum(entries: LogEntry[]) {
  const count = (value: (entry: LogEntry) => number | null) =>
    entries.reduce((total, entry) => total + (value(entry) ?? 0), 0);
  const assumed = entries.filter(({ pricing }) => pricing === 'assumed');
  return {
    requests: entries.length,
    cost_usd: toDecimal(sumUnits(entries)),
    input_tokens: count((entry) => entry.input_tokens),
    output_tokens: count((entry) => entry.output_tokens),
    unpriced_requests: count((entry) => Number(entry.pricing === 'unknown')),
    assumed_requests: assumed.length,
    assumed_cost_usd: toDecimal(sumUnits(assumed)),
  };
}

function sumUnits(entries: LogEntry[]): bigint {
  return entries.reduce((total, { cost_usd }) => {
    const [whole = '', fraction = ''] = cost_usd.split('.');
    return total + BigInt(whole + fraction.padEnd(12, '0'));
  }, 0n);
}

function toDecimal(units: bigint): string {
  const all = units.toString().padStart(13, '0');
  return `${all.slice(0, -12)}.${all.slice(-12)}`.replace(/\.?0+$/, '');
}

type Value = string | null;

function groupEntries(entries: LogEntry[], nameOf: (entry: LogEntry) => Value): [Value, LogEntry[]][] {
  const groups = new Map<Value, LogEntry[]>();
  for (const entry of entries) groups.set(nameOf(entry), [...(groups.get(nameOf(entry)) ?? []), entry]);
  return [...groups];
}

function groupField({ group_by }: CostParameters): keyof LogEntry {
  return (group_by === 'api_key' ? 'api_key_id' : group_by) as keyof LogEntry;
}

function requestedGroups(entries: LogEntry[], parameters: CostParameters): [Value, LogEntry[]][] {
  return groupEntries(entries, (entry) => entry[groupField(parameters)] as Value);
}

function topValues(entries: LogEntry[], parameters: CostParameters): Value[] {
  const groups = requestedGroups(entries, parameters);
  groups.sort(([value, one], [otherValue, other]) => {
    const costDifference = sumUnits(other) - sumUnits(one);
    if (costDifference !== 0n) return costDifference > 0n ? 1 : -1;
    if (other.length !== one.length) return other.length - one.length;
    if (value === null || otherValue === null) return value === null ? 1 : -1;
    return value < otherValue ? -1 : 1;
  });
  return groups.slice(0, parameters.limit ?? 100).map(([value]) => value);
}

function groupList(entries: LogEntry[], parameters: CostParameters, listed: Value[]) {
  const groups = requestedGroups(entries, parameters);
  const others = groups.filter(([value]) => !listed.includes(value));
  return {
    groups: listed.flatMap((value) =>
      groups
        .filter(([name]) => name === value)
        .map(([name, members]) => ({ [groupField(parameters)]: name, ...sum(members) })),
    ),
    other:
      others.length === 0
        ? null
        : { groups: others.length, ...sum(others.flatMap(([, members]) => members)) },
  };
}

function seriesElements(window: ExpectedWindow, interval: 'hour' | 'day'): { start: number; end: number }[] {
  const ms = interval === 'hour' ? 3_600_000 : 86_400_000;
  const { start, end } = window;
  if (start === null || end === null) throw new Error('A series needs both bounds');
  const elements = [];
  for (let from = Math.floor(start / ms) * ms; from < end; from += ms) {
    if (start < end) elements.push({ start: Math.max(from, start), end: Math.min(from + ms, end) });
  }
  return elements;
}

function toTimestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
