/** Adds up the requests of the gateway, from the lines of the functions' logs. */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';

export interface Totals {
  /** Attempts: requests that were sent to a provider, also those that have not ended. */
  sent: number;
  /** Attempts that have ended. */
  ended: number;
  /** Attempts that are in the rollups. 0 if the stack publishes no metrics. */
  counted: number;
  /** Requests that the recovery found without a result. */
  killed: number;
  unpriced: number;
  /** Requests with a valid key that have ended, also if they were refused. */
  requests: number;
  /** Responses with a status of 400 or above, and streams that failed. */
  errors: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

export interface RequestTotals {
  /** Ignores lines of other events. */
  readLine(line: string): void;
  /** The last 60 minutes, the current one included. */
  lastHour(nowMs: number): Totals;
  sinceStart(): Totals;
}

const minutesPerHour = 60;

const requestEvents = /"event":"(?:request_forwarded|request_completed|entry_recovered|request_metrics)"/;

export function createRequestTotals(): RequestTotals {
  const byMinute = new Map<number, Totals>();
  const all = zero();
  return {
    readLine(text) {
      const line = requestEvents.test(text) ? parseJson(text) : null;
      if (!isObject(line)) return;
      const request = { ...zero(), ...totalsOf(line) };
      const minute = minuteOf(line);
      for (const old of byMinute.keys()) if (old <= minute - minutesPerHour) byMinute.delete(old);
      byMinute.set(minute, sum(byMinute.get(minute) ?? zero(), request));
      Object.assign(all, sum(all, request));
    },
    lastHour(nowMs) {
      const minute = Math.floor(nowMs / minuteMs);
      const recent = [...byMinute].filter(([start]) => start > minute - minutesPerHour && start <= minute);
      return recent.reduce((total, [, totals]) => sum(total, totals), zero());
    },
    sinceStart: () => ({ ...all }),
  };
}

/** Metrics count in the minute of their requests. */
function minuteOf({ timestamp, _aws }: JsonObject): number {
  const atMs = isObject(_aws) ? Number(_aws.Timestamp) : Date.parse(String(timestamp));
  return Math.floor(atMs / minuteMs);
}

function totalsOf(line: JsonObject): Partial<Totals> {
  switch (line.event) {
    case 'request_forwarded':
      return { sent: 1, ...(isObject(line.attempt) && attemptTotals(line.attempt)) };
    case 'entry_recovered':
      return { killed: Number(line.outcome === 'interrupted') };
    case 'request_metrics':
      return { counted: numberIn(line.Requests) };
    case 'request_completed':
      return completedTotals(line);
    default:
      return {};
  }
}

function completedTotals(line: JsonObject): Partial<Totals> {
  const isFailure = Number(line.status) >= 400 || (line.error_code ?? null) !== null;
  const requests = numberIn(line.refused_requests) || 1;
  return { ...attemptTotals(line), requests, errors: isFailure ? requests : 0 };
}

/** Also of an attempt that ended before the request was sent to another target. */
function attemptTotals(line: JsonObject): Partial<Totals> {
  const wasSent = line.outcome !== 'rejected';
  return {
    ended: Number(wasSent),
    unpriced: Number(wasSent && line.pricing === 'unknown'),
    inputTokens: numberIn(line.input_tokens),
    outputTokens: numberIn(line.output_tokens),
    costUsd: numberIn(line.cost_usd),
  };
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function zero(): Totals {
  const requests = { sent: 0, ended: 0, counted: 0, killed: 0, unpriced: 0, requests: 0, errors: 0 };
  return { ...requests, inputTokens: 0, outputTokens: 0, costUsd: 0 };
}

function sum(one: Totals, other: Totals): Totals {
  const result = { ...one };
  for (const name of Object.keys(other) as (keyof Totals)[]) result[name] += other[name];
  return result;
}
