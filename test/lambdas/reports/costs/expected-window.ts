/**
 * Computes the expected windows of a response: the requested one and the one to compare with, rounded where entries of a
 * partial period have expired or days begin within an hour; and the elements of its series.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type CostParameters, createdMs, isInSums } from './expected-costs.ts';
import { localBoundary } from './local-boundaries.ts';

export interface ExpectedWindow {
  start: number | null;
  end: number | null;
  roundedTo: 'minute' | 'hour' | null;
  previous?: ExpectedWindow;
}

export interface Scenario {
  entries: LogEntry[];
  expired: Set<LogEntry>;
  now: Date;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function expectedWindow(scenario: Scenario, parameters: CostParameters): ExpectedWindow {
  const { start, compare } = parameters;
  const endsNow = compare !== null && parameters.end === null;
  const end = endsNow
    ? scenario.now.getTime()
    : (parameters.end ?? endOfPresentElement(scenario, parameters));
  const bounds = { start, end };
  const toHours = splitsHours(bounds, parameters);
  const window = roundWindow(scenario, parameters, bounds, { endsNow, toHours });
  if (compare === null || start === null || end === null) return window;
  const previous = { start: Math.max(0, previousStart(parameters, start, end, endsNow)), end: start };
  // It has only totals, which need no sums by hour unless rejected requests are counted.
  const group_by = parameters.group_by === 'error_code' ? 'error_code' : null;
  const rounded = roundWindow(scenario, { ...parameters, group_by }, previous, { endsNow: false, toHours });
  return { ...window, previous: rounded };
}

/** Where a series without an end ends. */
function endOfPresentElement({ now }: Scenario, parameters: CostParameters): number | null {
  if (parameters.interval === null) return null;
  const nowMs = now.getTime();
  return boundariesNear(parameters, nowMs, nowMs).find((boundary) => boundary > nowMs) ?? null;
}

type Bounds = Pick<ExpectedWindow, 'start' | 'end'>;

function roundWindow(
  scenario: Scenario,
  parameters: CostParameters,
  { start, end }: Bounds,
  { endsNow, toHours }: { endsNow: boolean; toHours: boolean },
): ExpectedWindow {
  const period = isByHour(parameters) ? 'hour' : 'minute';
  const roundBoundary = (bound: number | null) =>
    bound !== null && toHours && isBoundary(parameters, bound) ? Math.floor(bound / hourMs) * hourMs : bound;
  const inHours = { start: roundBoundary(start), end: endsNow ? end : roundBoundary(end) };
  if (inHours.start !== null && inHours.start === inHours.end)
    return { ...inHours, roundedTo: toHours ? 'hour' : null };
  const round = (bound: number | null) =>
    bound === null ? null : roundExpired(scenario, parameters, bound, period === 'hour' ? hourMs : 60_000);
  const rounded = { start: round(inHours.start), end: endsNow ? end : round(inHours.end) };
  const isRounded = rounded.start !== inHours.start || rounded.end !== inHours.end;
  return { ...rounded, roundedTo: isRounded ? period : toHours ? 'hour' : null };
}

function roundExpired(
  { entries, expired, now }: Scenario,
  parameters: CostParameters,
  bound: number,
  ms: number,
): number {
  const from = bound - (bound % ms);
  const isRecent = from + ms + 3_600_000 > now.getTime();
  const isComplete = !entries.some((entry) => {
    const time = createdMs(entry);
    return time >= from && time < from + ms && isInSums(entry, parameters) && expired.has(entry);
  });
  return isRecent || isComplete ? bound : from;
}

/** Whether the query needs sums that exist only by hour. */
function isByHour({ group_by, ...parameters }: CostParameters): boolean {
  const { api_key_id, prompt_id, session_id, user_id, error_code } = parameters;
  const isFiltered = [api_key_id, prompt_id, session_id, user_id, error_code].some((value) => value !== null);
  return isFiltered || ![null, 'model', 'provider'].includes(group_by);
}

function splitsHours({ start, end }: Bounds, parameters: CostParameters): boolean {
  const { interval } = parameters;
  if (start === null || end === null || !isByHour(parameters)) return false;
  if (interval !== 'day' && interval !== 'month') return false;
  return boundariesNear(parameters, start, end).some(
    (boundary) => boundary >= start && boundary % hourMs !== 0 && boundary - (boundary % hourMs) < end,
  );
}

export function seriesElements(
  window: ExpectedWindow,
  parameters: CostParameters,
): { start: number; end: number }[] {
  const { start, end } = window;
  if (start === null || end === null) throw new Error('A series needs both bounds');
  const boundaries = boundariesNear(parameters, start, end)
    .map((boundary) => (window.roundedTo === 'hour' ? Math.floor(boundary / hourMs) * hourMs : boundary))
    .filter((boundary) => boundary > start && boundary < end);
  if (start === end) return [];
  return [start, ...boundaries].map((from, index) => ({ start: from, end: boundaries[index] ?? end }));
}

/** The bounds of the interval's periods, from at least one before `start` to at least one after `end`. */
function boundariesNear({ interval, time_zone }: CostParameters, start: number, end: number): number[] {
  if (interval === 'minute' || interval === 'hour') {
    const ms = interval === 'hour' ? hourMs : 60_000;
    const count = Math.ceil((end - start) / ms) + 2;
    return Array.from({ length: count }, (_, index) => Math.floor(start / ms) * ms + index * ms);
  }
  const boundaries = [];
  const first = Math.floor(start / dayMs) * dayMs - 32 * dayMs;
  for (let date = first; date <= end + 32 * dayMs; date += dayMs)
    if (interval !== 'month' || new Date(date).getUTCDate() === 1)
      boundaries.push(localBoundary(time_zone ?? 'UTC', date));
  return boundaries;
}

function isBoundary(parameters: CostParameters, bound: number): boolean {
  return boundariesNear(parameters, bound, bound).includes(bound);
}

function previousStart(parameters: CostParameters, start: number, end: number, endsNow: boolean): number {
  for (const interval of endsNow ? [] : (['month', 'day'] as const)) {
    const byInterval = { ...parameters, interval };
    if (!isBoundary(byInterval, start) || !isBoundary(byInterval, end)) continue;
    const count = boundariesNear(byInterval, start, end).filter((each) => each > start && each <= end).length;
    const before = boundariesNear(byInterval, start - (end - start) - 40 * dayMs, start);
    return before[before.indexOf(start) - count] ?? Number.NaN;
  }
  return 2 * start - end;
}
