/** Cost rollups: sums of the entries of one organization, model and minute, hour or day. */
import { type LogEntry, reachedProvider } from './log-entry.ts';
import type { TimeWindow } from './time-window.ts';
import { addUsd, type Usd } from './usd.ts';

/** Largest first; each is a whole number of the next. */
export const periods = [
  { name: 'day', ms: 86_400_000, isoLength: 'YYYY-MM-DD'.length },
  { name: 'hour', ms: 3_600_000, isoLength: 'YYYY-MM-DDTHH'.length },
  { name: 'minute', ms: 60_000, isoLength: 'YYYY-MM-DDTHH:MM'.length },
] as const;

export type Period = (typeof periods)[number]['name'];

/** What is summed. */
export interface Totals {
  requests: number;
  cost_usd: Usd;
  input_tokens: number;
  output_tokens: number;
  /** Requests with usage for which there is no price. */
  unpriced_requests: number;
}

export const noTotals: Totals = {
  requests: 0,
  cost_usd: '0',
  input_tokens: 0,
  output_tokens: 0,
  unpriced_requests: 0,
};

export function addTotals(left: Totals, right: Totals): Totals {
  return {
    requests: left.requests + right.requests,
    cost_usd: addUsd(left.cost_usd, right.cost_usd),
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    unpriced_requests: left.unpriced_requests + right.unpriced_requests,
  };
}

/** Which sums an entry belongs to. */
export interface RollupKey {
  organizationId: string;
  period: Period;
  /** Start of the period, as much of its RFC 3339 text as names it: `2026-01-31`, `2026-01-31T09`, `…T09:30`. */
  periodStart: string;
  provider: string;
  model: string;
}

/** What one entry adds, and to which sums; `null` for an entry that no cost can come from. */
export function contributionOf(entry: LogEntry): { keys: RollupKey[]; totals: Totals } | null {
  const { organization_id: organizationId, provider, model } = entry;
  if (!reachedProvider(entry) || provider === null || model === null) return null;
  const keys = periods.map(({ name, isoLength }) => ({
    organizationId,
    period: name,
    periodStart: entry.created_at.slice(0, isoLength),
    provider,
    model,
  }));
  return { keys, totals: totalsOf(entry) };
}

function totalsOf(entry: LogEntry): Totals {
  return {
    requests: 1,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    unpriced_requests: entry.pricing === 'unknown' ? 1 : 0,
  };
}

/** A part of a time window, and what to read for it. */
export type WindowPart = TimeWindow & { source: Period | 'entries' };

/**
 * Cuts a window into the fewest parts: whole days, at both of its edges hours and minutes, and entries for the two
 * minutes that it cuts. However long the window is, that is at most 46 hours, 118 minutes and 2 cut minutes.
 */
export function cutWindow(window: TimeWindow): WindowPart[] {
  return cut(window, 0);
}

function cut({ startMs, endMs }: TimeWindow, level: number): WindowPart[] {
  if (startMs >= endMs) return [];
  const period = periods[level];
  if (period === undefined) return [{ source: 'entries', startMs, endMs }];
  const wholeFrom = Math.ceil(startMs / period.ms) * period.ms;
  const wholeTo = Math.floor(endMs / period.ms) * period.ms;
  if (wholeFrom >= wholeTo) return cut({ startMs, endMs }, level + 1);
  return [
    ...cut({ startMs, endMs: wholeFrom }, level + 1),
    { source: period.name, startMs: wholeFrom, endMs: wholeTo },
    ...cut({ startMs: wholeTo, endMs }, level + 1),
  ];
}

/** The text by which a rollup of the period that starts at `timestampMs` sorts. */
export function periodText(name: Period, timestampMs: number): string {
  const isoLength = periods.find((period) => period.name === name)?.isoLength;
  return new Date(timestampMs).toISOString().slice(0, isoLength);
}

export interface CostRollup {
  provider: string;
  model: string;
  totals: Totals;
}

/** One record of a stream shard: what it adds, and its place in the shard. */
export interface RollupRecord {
  sequenceNumber: string;
  entry: LogEntry;
}

export interface CostRollupReader {
  read(organizationId: string, period: Period, window: TimeWindow): AsyncIterable<CostRollup>;
}

export interface CostRollupWriter {
  /** Adds the records, which stand in the shard's order, to their sums. Those already added change nothing. */
  add(shardId: string, records: RollupRecord[]): Promise<void>;
}
