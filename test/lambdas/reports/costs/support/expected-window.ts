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
  const nowMs = scenario.now.getTime();
  const isOpen = parameters.end === null && !endsNow && parameters.interval !== null;
  const openEnd = isOpen ? endOfPresentElement(parameters, nowMs, false) : null;
  const end = endsNow ? nowMs : (parameters.end ?? openEnd);
  const toHours = splitsHours({ start, end }, parameters);
  const round = (bound: number | null) => (toHours ? roundMidnight(parameters, bound) : bound);
  const startInHours = round(start);
  const endInHours = endsNow ? end : isOpen ? endOfPresentElement(parameters, nowMs, toHours) : round(end);
  const isInverted = startInHours !== null && endInHours !== null && endInHours < startInHours;
  const inHours = { start: startInHours, end: isInverted ? startInHours : endInHours };
  const roundedTo = toHours ? 'hour' : null;
  const window = roundWindow(scenario, parameters, inHours, { endsNow, roundedTo });
  const { compare_start, compare_end } = parameters;
  if (compare_start !== null && compare_end !== null) {
    const from = Number(round(compare_start));
    const chosen = { start: from, end: Math.max(from, Number(round(compare_end))) };
    return { ...window, previous: roundWindow(scenario, parameters, chosen, { endsNow: false, roundedTo }) };
  }
  if (compare === null || start === null || end === null) return window;
  const local = endsNow ? null : localStartBefore(parameters, start, end);
  const previous =
    local === null
      ? { start: 2 * Number(inHours.start) - Number(inHours.end), end: inHours.start }
      : { start: round(local), end: inHours.start };
  previous.start = Math.max(0, Number(previous.start));
  return { ...window, previous: roundWindow(scenario, parameters, previous, { endsNow: false, roundedTo }) };
}

/** Where a series without an end ends. */
function endOfPresentElement(parameters: CostParameters, nowMs: number, toHours: boolean): number | null {
  return (
    boundariesNear(parameters, nowMs, nowMs)
      .map((boundary) => (toHours ? Math.floor(boundary / hourMs) * hourMs : boundary))
      .find((boundary) => boundary > nowMs) ?? null
  );
}

/** Rounds a local midnight down to the full hour. */
function roundMidnight(parameters: CostParameters, bound: number | null): number | null {
  const isMidnight = bound !== null && isBoundary({ ...parameters, interval: 'day' }, bound);
  return isMidnight ? Math.floor(bound / hourMs) * hourMs : bound;
}

type Bounds = Pick<ExpectedWindow, 'start' | 'end'>;

function roundWindow(
  scenario: Scenario,
  parameters: CostParameters,
  { start, end }: Bounds,
  { endsNow, roundedTo }: { endsNow: boolean; roundedTo: 'hour' | null },
): ExpectedWindow {
  if (start !== null && start === end) return { start, end, roundedTo };
  const period = isByHour(parameters) ? 'hour' : 'minute';
  const round = (bound: number | null) =>
    bound === null ? null : roundExpired(scenario, parameters, bound, period === 'hour' ? hourMs : 60_000);
  const rounded = { start: round(start), end: endsNow ? end : round(end) };
  const isRounded = rounded.start !== start || rounded.end !== end;
  return { ...rounded, roundedTo: isRounded ? period : roundedTo };
}

function roundExpired(
  { entries, expired, now }: Scenario,
  parameters: CostParameters,
  bound: number,
  ms: number,
): number {
  const from = bound - (bound % ms);
  const isRecent = from + ms + 3_600_000 > now.getTime();
  // Whether an entry is missing is known of all rows of the period, whatever their models.
  const anyModel = { ...parameters, model: null, provider: null, service_tier: null };
  const isComplete = !entries.some((entry) => {
    const time = createdMs(entry);
    return time >= from && time < from + ms && isInSums(entry, anyModel) && expired.has(entry);
  });
  return isRecent || isComplete ? bound : from;
}

/** Whether the query needs sums that exist only by hour. */
function isByHour({ group_by, ...parameters }: CostParameters): boolean {
  const { api_key_id, prompt_id, session_id, user_id, route, error_code } = parameters;
  const isFiltered = [api_key_id, prompt_id, session_id, user_id, route, error_code].some(
    (value) => value !== null,
  );
  return isFiltered || ![null, 'model', 'provider', 'operation'].includes(group_by);
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

/** The bound as many local months or days before `start` as there are until `end`; `null` if the two are not such bounds. */
function localStartBefore(parameters: CostParameters, start: number, end: number): number | null {
  for (const interval of ['month', 'day'] as const) {
    const byInterval = { ...parameters, interval };
    if (!isBoundary(byInterval, start) || !isBoundary(byInterval, end)) continue;
    const count = boundariesNear(byInterval, start, end).filter((each) => each > start && each <= end).length;
    const before = boundariesNear(byInterval, start - (end - start) - 40 * dayMs, start);
    return before[before.indexOf(start) - count] ?? Number.NaN;
  }
  return null;
}
