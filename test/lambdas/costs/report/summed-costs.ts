/**
 * What `GET /api/costs` has to answer: the entries, added up one by one. Written without the code that it checks, and
 * in the plainest way; money is counted in whole units of 10⁻¹² dollars.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface AskedCosts {
  /** Milliseconds since 1970. */
  start: number | null;
  end: number | null;
  model: string | null;
  provider: string | null;
  group_by: string | null;
  limit: number | null;
  interval: 'hour' | 'day' | null;
}

export const nothingAsked: AskedCosts = {
  start: null,
  end: null,
  model: null,
  provider: null,
  group_by: null,
  limit: null,
  interval: null,
};

export interface SummedWindow {
  start: number | null;
  end: number | null;
  roundedTo: 'minute' | 'hour' | null;
}

/** The query string that asks for this. */
export function queryOf({ start, end, limit, ...rest }: AskedCosts): string {
  const parameters = {
    ...rest,
    start: start === null ? null : new Date(start).toISOString(),
    end: end === null ? null : new Date(end).toISOString(),
    limit: limit === null ? null : String(limit),
  };
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return String(new URLSearchParams(given));
}

/** An answer with money as its digits, which `number` would round. */
export function parseCosts(text: string): Record<string, unknown> {
  return JSON.parse(text, (name, value, context?: { source?: string }) =>
    name.endsWith('cost_usd') ? context?.source : value,
  ) as Record<string, unknown>;
}

export function timeOf(entry: LogEntry): number {
  return Date.parse(entry.created_at);
}

export function isCounted(entry: LogEntry): boolean {
  return entry.outcome !== 'rejected' && entry.model !== null && entry.provider !== null;
}

/** The answer, with money as digits. */
export function sumCosts(entries: LogEntry[], asked: AskedCosts, summed: SummedWindow) {
  const inside = entries.filter((entry) => isCounted(entry) && matches(entry, asked) && isIn(entry, summed));
  const { requests, cost_usd, input_tokens, output_tokens, unpriced_requests } = sum(inside);
  const listed = asked.group_by === null ? [] : topOf(inside, asked);
  return {
    total_requests: requests,
    total_cost_usd: cost_usd,
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    unpriced_requests,
    by_model: Object.fromEntries(
      groupsOf(inside, ({ model }) => model).map(([model, each]) => [model, sum(each)]),
    ),
    window: { start: text(summed.start), end: text(summed.end), rounded_to: summed.roundedTo },
    ...(asked.group_by !== null && { group_by: asked.group_by, ...groupList(inside, asked, listed) }),
    ...(asked.interval !== null && {
      interval: asked.interval,
      series: elementsOf(summed, asked.interval).map(({ start, end }) => {
        const here = inside.filter((entry) => isIn(entry, { start, end }));
        const groups = asked.group_by === null ? {} : groupList(here, asked, listed);
        return { start: text(start), end: text(end), ...sum(here), ...groups };
      }),
    }),
  };
}

function isIn(entry: LogEntry, { start, end }: { start: number | null; end: number | null }): boolean {
  const time = timeOf(entry);
  return (start === null || time >= start) && (end === null || time < end);
}

function matches(entry: LogEntry, { model, provider }: AskedCosts): boolean {
  const isModel = model === null || entry.model === model || `${entry.provider}/${entry.model}` === model;
  return isModel && (provider === null || entry.provider === provider);
}

function sum(entries: LogEntry[]) {
  const count = (value: (entry: LogEntry) => number | null) =>
    entries.reduce((total, entry) => total + (value(entry) ?? 0), 0);
  return {
    requests: entries.length,
    cost_usd: digits(unitsOf(entries)),
    input_tokens: count((entry) => entry.input_tokens),
    output_tokens: count((entry) => entry.output_tokens),
    unpriced_requests: count((entry) => Number(entry.pricing === 'unknown')),
  };
}

function unitsOf(entries: LogEntry[]): bigint {
  return entries.reduce((total, { cost_usd }) => {
    const [whole = '', fraction = ''] = cost_usd.split('.');
    return total + BigInt(whole + fraction.padEnd(12, '0'));
  }, 0n);
}

function digits(units: bigint): string {
  const all = units.toString().padStart(13, '0');
  return `${all.slice(0, -12)}.${all.slice(-12)}`.replace(/\.?0+$/, '');
}

type Value = string | null;

function groupsOf(entries: LogEntry[], nameOf: (entry: LogEntry) => Value): [Value, LogEntry[]][] {
  const groups = new Map<Value, LogEntry[]>();
  for (const entry of entries) groups.set(nameOf(entry), [...(groups.get(nameOf(entry)) ?? []), entry]);
  return [...groups];
}

function fieldOf({ group_by }: AskedCosts): keyof LogEntry {
  return (group_by === 'api_key' ? 'api_key_id' : group_by) as keyof LogEntry;
}

function groupsAsked(entries: LogEntry[], asked: AskedCosts): [Value, LogEntry[]][] {
  return groupsOf(entries, (entry) => entry[fieldOf(asked)] as Value);
}

function topOf(entries: LogEntry[], asked: AskedCosts): Value[] {
  const groups = groupsAsked(entries, asked);
  groups.sort(([value, one], [otherValue, other]) => {
    const dearer = unitsOf(other) - unitsOf(one);
    if (dearer !== 0n) return dearer > 0n ? 1 : -1;
    if (other.length !== one.length) return other.length - one.length;
    if (value === null || otherValue === null) return value === null ? 1 : -1;
    return value < otherValue ? -1 : 1;
  });
  return groups.slice(0, asked.limit ?? 100).map(([value]) => value);
}

function groupList(entries: LogEntry[], asked: AskedCosts, listed: Value[]) {
  const groups = groupsAsked(entries, asked);
  const others = groups.filter(([value]) => !listed.includes(value));
  return {
    groups: listed.flatMap((value) =>
      groups
        .filter(([name]) => name === value)
        .map(([name, members]) => ({ [fieldOf(asked)]: name, ...sum(members) })),
    ),
    other:
      others.length === 0
        ? null
        : { groups: others.length, ...sum(others.flatMap(([, members]) => members)) },
  };
}

function elementsOf(window: SummedWindow, interval: 'hour' | 'day'): { start: number; end: number }[] {
  const ms = interval === 'hour' ? 3_600_000 : 86_400_000;
  const { start, end } = window;
  if (start === null || end === null) throw new Error('A series needs both bounds');
  const elements = [];
  for (let from = Math.floor(start / ms) * ms; from < end; from += ms) {
    if (start < end) elements.push({ start: Math.max(from, start), end: Math.min(from + ms, end) });
  }
  return elements;
}

function text(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
