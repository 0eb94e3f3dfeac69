/** The time of a cost query: its window, the elements of its series, and the range to compare with. */

import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readChoice } from '#lambdas/platform/http/query.ts';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/platform/period.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type Calendar, isLocal, type LocalInterval } from './calendar.ts';

/** Shortest first. */
const intervals = ['minute', 'hour', 'day', 'month'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

/** The next longer interval; `null` for the longest. */
export function longerInterval(interval: Interval): Interval | null {
  return intervals[intervals.indexOf(interval) + 1] ?? null;
}

/** The shortest period for which there are sums. */
export type FinestPeriod = 'minute' | 'hour';

export interface Series {
  interval: Interval;
  calendar: Calendar;
}

/** How the response states the window, where that differs from the window that is read. */
interface WindowInResponse {
  /** True for an omitted bound: the response then has `null`. */
  isOpen: { start: boolean; end: boolean };
  /** The end of the window in the response, if it is not that of the window that is read. */
  presentMs: number | null;
  /** Set when days begin at the full hour before local midnight, since the sums that are read exist only by hour. */
  roundedTo: 'hour' | null;
}

export interface QueryWindow {
  /** The window of the totals. It ends with a period of the sums if the requested one ends with the present. */
  window: TimeWindow;
  windowInResponse: WindowInResponse;
  series: Series | null;
  /** The range to compare with; `null` without a comparison. */
  previous: ComparedRange | null;
}

export interface ComparedRange extends TimeWindow {
  /** The parameter that requests it. */
  parameter: 'compare' | 'compare_start';
  /** The calendar of the days that the response counts; `null` if there are too many. */
  days: Calendar | null;
}

interface WindowOptions {
  calendar: Calendar;
  finestPeriod: FinestPeriod;
  /** The parameter for whose values there are no finer sums, such as `group_by=user_id`. */
  selection: string;
  now: Date;
}

type WindowParameters = Partial<
  Record<'start' | 'end' | 'interval' | 'compare' | 'compare_start' | 'compare_end', string>
>;

const maxSeriesLength = 1000;
/** A quarter, and a day more where clocks change. */
export const maxCountedDays = 93;
const noOpenBounds = { start: false, end: false };

/** The window without a series and a comparison. */
export function plainWindow(window: TimeWindow, isOpen = noOpenBounds): QueryWindow {
  return {
    window,
    windowInResponse: { isOpen, presentMs: null, roundedTo: null },
    series: null,
    previous: null,
  };
}

/** `window` is that of the parameters. Throws a `GatewayError` (400) that names the invalid parameter. */
export function resolveWindow(
  window: TimeWindow,
  parameters: WindowParameters,
  options: WindowOptions,
): QueryWindow {
  const isOpen = { start: parameters.start === undefined, end: parameters.end === undefined };
  const compared = withComparison(plainWindow(window, isOpen), parameters, options);
  return withSeries(compared, parameters, options);
}

function withComparison(
  query: QueryWindow,
  parameters: WindowParameters,
  { calendar, finestPeriod, now }: WindowOptions,
): QueryWindow {
  const chosen = readChosenRange(parameters);
  if (chosen !== null) return { ...query, previous: comparedRange('compare_start', chosen, calendar) };
  if (parameters.compare === undefined) return query;
  readChoice('compare', parameters.compare, ['previous']);
  const { windowInResponse, window } = query;
  const { isOpen } = windowInResponse;
  if (isOpen.start)
    throw invalidRequestError(
      'compare',
      'compare requires start: set start, since the range before it is the comparison',
    );
  if (!isOpen.end) {
    const previous = previousLocalWindow(window, calendar) ?? windowBefore(window);
    return { ...query, previous: comparedRange('compare', previous, calendar) };
  }
  const presentMs = now.getTime();
  if (window.startMs > presentMs) throw startInFutureError();
  return {
    ...query,
    // No request is later than the present, so its minute or hour need not be cut.
    window: { startMs: window.startMs, endMs: endOfPeriod(finestPeriod, presentMs) },
    windowInResponse: { ...windowInResponse, isOpen: noOpenBounds, presentMs },
    previous: comparedRange('compare', windowBefore({ startMs: window.startMs, endMs: presentMs }), calendar),
  };
}

function readChosenRange({ compare, compare_start, compare_end }: WindowParameters): TimeWindow | null {
  if (compare_start === undefined && compare_end === undefined) return null;
  const [present, missing] =
    compare_start === undefined ? ['compare_end', 'compare_start'] : ['compare_start', 'compare_end'];
  if (compare !== undefined)
    throw invalidRequestError('compare', `compare cannot be combined with ${present}: remove one of them`);
  if (compare_start === undefined || compare_end === undefined)
    throw invalidRequestError(present, `${present} requires ${missing}: set both`);
  return parseTimeWindow(
    { start: compare_start, end: compare_end },
    { start: 'compare_start', end: 'compare_end' },
  );
}

function comparedRange(
  parameter: ComparedRange['parameter'],
  window: TimeWindow,
  calendar: Calendar,
): ComparedRange {
  const days = calendar.count('day', window) <= maxCountedDays ? calendar : null;
  return { ...window, parameter, days };
}

/**
 * The range that ends where the window starts and has as many local months or days, if both bounds of the window are the
 * starts of such; otherwise `null`.
 */
function previousLocalWindow({ startMs, endMs }: TimeWindow, calendar: Calendar): TimeWindow | null {
  const isStartOf = (interval: LocalInterval, ms: number) => calendar.startOf(interval, ms) === ms;
  const interval = (['month', 'day'] as const).find(
    (each) => isStartOf(each, startMs) && isStartOf(each, endMs),
  );
  if (interval === undefined) return null;
  const count = calendar.count(interval, { startMs, endMs });
  return { startMs: Math.max(0, calendar.shift(interval, startMs, -count)), endMs: startMs };
}

/** The time before the window that is as long. */
function windowBefore({ startMs, endMs }: TimeWindow): TimeWindow {
  return { startMs: Math.max(0, 2 * startMs - endMs), endMs: startMs };
}

function startInFutureError() {
  return invalidRequestError(
    'start',
    'start must not be in the future when end is omitted: choose an earlier start, or set end',
  );
}

/**
 * A series needs both bounds. An omitted `end` becomes the end of the current element instead of the current time, so that
 * the window has no partial period at its end, for which entries would have to be read.
 */
function withSeries(
  query: QueryWindow,
  { interval: text }: WindowParameters,
  { calendar, finestPeriod, selection, now }: WindowOptions,
): QueryWindow {
  if (text === undefined) return query;
  const interval = readChoice('interval', text, intervals);
  const { windowInResponse } = query;
  const { isOpen } = windowInResponse;
  if (isOpen.start)
    throw invalidRequestError(
      'interval',
      'interval requires start: set start to the time of the first element',
    );
  if (interval === 'minute' && finestPeriod !== 'minute')
    throw invalidRequestError(
      'interval',
      `interval=minute cannot be combined with ${selection}: use interval=hour`,
    );
  const endMs = isOpen.end ? calendar.endOf(interval, now.getTime()) : query.window.endMs;
  const window = { startMs: query.window.startMs, endMs };
  if (window.startMs > window.endMs) throw startInFutureError();
  assertSeriesLength(window, interval, calendar);
  const needsFullHours = finestPeriod === 'hour' && isLocal(interval);
  const withBounds = {
    ...query,
    window,
    windowInResponse: { ...windowInResponse, isOpen: noOpenBounds },
    // Days divide a window that splits no hour as before, but its start can be rounded down to the hour when it is read.
    series: { interval, calendar: needsFullHours ? calendar.atFullHours() : calendar },
  };
  return needsFullHours && calendar.splitsHours(interval, window)
    ? roundToHours(withBounds, { interval, calendar }, isOpen.end ? now.getTime() : null)
    : withBounds;
}

/**
 * Rounds bounds at a local midnight down to the full hour, at which the days of the series begin. A window that starts in the
 * hour of the midnight at its end becomes empty.
 */
function roundToHours(
  query: QueryWindow,
  { interval, calendar }: { interval: LocalInterval; calendar: Calendar },
  openEndMs: number | null,
): QueryWindow {
  const round = (ms: number) => (calendar.startOf('day', ms) === ms ? startOfPeriod('hour', ms) : ms);
  const roundWindow = ({ startMs, endMs }: TimeWindow) => ({
    startMs: round(startMs),
    endMs: Math.max(round(startMs), round(endMs)),
  });
  const startMs = round(query.window.startMs);
  const endMs =
    openEndMs === null
      ? Math.max(startMs, round(query.window.endMs))
      : calendar.atFullHours().endOf(interval, openEndMs);
  const window = { startMs, endMs };
  const { presentMs } = query.windowInResponse;
  const previousLocal = presentMs === null ? previousLocalWindow(query.window, calendar) : null;
  const previousWindow = query.previous?.parameter === 'compare_start' ? query.previous : previousLocal;
  const previous =
    previousWindow === null
      ? windowBefore({ ...window, endMs: presentMs ?? endMs })
      : roundWindow(previousWindow);
  return {
    ...query,
    window,
    previous: query.previous && { ...query.previous, ...previous },
    windowInResponse: { ...query.windowInResponse, roundedTo: 'hour' },
  };
}

function assertSeriesLength(window: TimeWindow, interval: Interval, calendar: Calendar): void {
  const length = calendar.count(interval, window);
  if (length <= maxSeriesLength) return;
  const longer = longerInterval(interval);
  throw invalidRequestError(
    'interval',
    `interval=${interval} makes a series of ${length} elements (at most ${maxSeriesLength} are allowed): ` +
      `${longer === null ? '' : `use interval=${longer}, or `}choose a shorter window`,
  );
}
