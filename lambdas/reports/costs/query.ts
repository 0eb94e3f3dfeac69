import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  type RawQueryParameters,
  readChoice,
  readInteger,
  readQueryParameters,
  readText,
} from '#lambdas/platform/http/query.ts';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/platform/period.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
import { type ModelFilter, modelFilters } from '../model-filter.ts';
import {
  type Calendar,
  createCalendar,
  isLocal,
  type LocalInterval,
  previousLocalWindow,
  windowBefore,
} from './calendar.ts';
import {
  dimensionsOf,
  type GroupBy,
  groupFields,
  isRowGroup,
  type QueryDimensions,
  type ValueFilter,
  type ValueParameter,
  valueParameters,
} from './dimensions.ts';

/** Shortest first. */
const intervals = ['minute', 'hour', 'day', 'month'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

/** The next longer interval; `null` for the longest. */
export function longerInterval(interval: Interval): Interval | null {
  return intervals[intervals.indexOf(interval) + 1] ?? null;
}

export interface Series {
  interval: Interval;
  calendar: Calendar;
}

/** How the response states the window, where that differs from the window that is read. */
interface ReportedWindow {
  /** True for an omitted bound: the response then has `null`. */
  isOpen: { start: boolean; end: boolean };
  /** The end of the window in the response, if it is not that of the window that is read. */
  presentMs: number | null;
  /** Set when days begin at the full hour before local midnight, since the sums that are read exist only by hour. */
  roundedTo: 'hour' | null;
}

export interface CostQuery {
  /** The window of the totals. It ends with a period of the sums if the requested one ends with the present. */
  window: TimeWindow;
  reportedWindow: ReportedWindow;
  /** A request is included when any of these matches. */
  filters: ModelFilter[];
  /** `null` for all requests. */
  serviceTier: string | null;
  /** `null` for all requests. */
  operation: OperationName | null;
  valueFilter: ValueFilter | null;
  groupBy: GroupBy | null;
  dimensions: QueryDimensions;
  limit: number;
  timeZone: string;
  series: Series | null;
  /** The range to compare with; `null` without a comparison. */
  previous: TimeWindow | null;
}

const defaultLimit = 100;
const maxLimit = 1000;
const maxSeriesLength = 1000;
const valueParameterNames = Object.keys(valueParameters) as ValueParameter[];
const filterNames = ['model', 'provider', 'service_tier', 'operation', ...valueParameterNames] as const;
const otherNames = ['start', 'end', 'group_by', 'limit', 'interval', 'time_zone', 'compare'] as const;
const parameterNames = [...otherNames, ...filterNames] as const;

type Parameters = Partial<Record<(typeof parameterNames)[number], string>>;

/** A query for the totals of all requests in the window. */
export function totalsQuery(window: TimeWindow): CostQuery {
  return {
    window,
    reportedWindow: { isOpen: noOpenBounds, presentMs: null, roundedTo: null },
    filters: modelFilters(),
    serviceTier: null,
    operation: null,
    valueFilter: null,
    groupBy: null,
    dimensions: dimensionsOf(null, null),
    limit: defaultLimit,
    timeZone: 'UTC',
    series: null,
    previous: null,
  };
}

const noOpenBounds = { start: false, end: false };

/** Parses the query of `GET /api/costs`. Throws a `GatewayError` (400) that names the invalid parameter. */
export function parseCostQuery(raw: RawQueryParameters, now: Date): CostQuery {
  const parameters: Parameters = readQueryParameters(raw, parameterNames);
  const { model, provider, service_tier, operation, group_by, limit, time_zone } = parameters;
  const groupBy =
    group_by === undefined ? null : readChoice('group_by', group_by, Object.keys(groupFields) as GroupBy[]);
  if (limit !== undefined && groupBy === null) {
    throw invalidRequestError('limit', 'limit requires group_by: add group_by, or omit limit');
  }
  const valueFilter = readValueFilter(parameters, groupBy);
  const calendar = createCalendar(time_zone ?? 'UTC');
  const all = totalsQuery(parseTimeWindow(parameters));
  const isOpen = { start: parameters.start === undefined, end: parameters.end === undefined };
  const query: CostQuery = {
    ...all,
    reportedWindow: { ...all.reportedWindow, isOpen },
    filters: modelFilters(model, provider),
    serviceTier: service_tier === undefined ? null : readText('service_tier', service_tier),
    operation: operation === undefined ? null : readChoice('operation', operation, operations),
    valueFilter,
    groupBy,
    dimensions: dimensionsOf(groupBy, valueFilter),
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
    timeZone: time_zone ?? all.timeZone,
  };
  return withSeries(withComparison(query, parameters, calendar, now), parameters, calendar, now);
}

function readValueFilter(parameters: Parameters, groupBy: GroupBy | null): ValueFilter | null {
  const [parameter, other] = valueParameterNames.filter((name) => parameters[name] !== undefined);
  if (parameter === undefined) return null;
  if (other !== undefined) {
    throw invalidRequestError(other, `${other} cannot be combined with ${parameter}: remove one of them`);
  }
  if (groupBy !== null && !isRowGroup(groupBy)) {
    throw invalidRequestError(
      'group_by',
      `group_by=${groupBy} cannot be combined with ${parameter}: group by model, provider or operation, or remove ${parameter}`,
    );
  }
  return { parameter, value: readText(parameter, parameters[parameter] ?? '') };
}

function withComparison(query: CostQuery, { compare }: Parameters, calendar: Calendar, now: Date): CostQuery {
  if (compare === undefined) return query;
  readChoice('compare', compare, ['previous']);
  const { reportedWindow, window, dimensions } = query;
  const { isOpen } = reportedWindow;
  if (isOpen.start)
    throw invalidRequestError(
      'compare',
      'compare requires start: set start, since the range before it is the comparison',
    );
  if (!isOpen.end)
    return { ...query, previous: previousLocalWindow(window, calendar) ?? windowBefore(window) };
  const presentMs = now.getTime();
  if (window.startMs > presentMs) throw startInFutureError();
  return {
    ...query,
    // No request is later than the present, so its minute or hour need not be cut.
    window: { startMs: window.startMs, endMs: endOfPeriod(dimensions.finestPeriod, presentMs) },
    reportedWindow: { ...reportedWindow, isOpen: noOpenBounds, presentMs },
    previous: windowBefore({ startMs: window.startMs, endMs: presentMs }),
  };
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
  query: CostQuery,
  { interval: text }: Parameters,
  calendar: Calendar,
  now: Date,
): CostQuery {
  if (text === undefined) return query;
  const interval = readChoice('interval', text, intervals);
  const { reportedWindow, valueFilter, groupBy, dimensions } = query;
  const { isOpen } = reportedWindow;
  if (isOpen.start)
    throw invalidRequestError(
      'interval',
      'interval requires start: set start to the time of the first element',
    );
  if (interval === 'minute' && dimensions.finestPeriod !== 'minute') {
    const reason = valueFilter === null ? `group_by=${groupBy}` : valueFilter.parameter;
    throw invalidRequestError(
      'interval',
      `interval=minute cannot be combined with ${reason}: use interval=hour`,
    );
  }
  const endMs = isOpen.end ? calendar.endOf(interval, now.getTime()) : query.window.endMs;
  const window = { startMs: query.window.startMs, endMs };
  if (window.startMs > window.endMs) throw startInFutureError();
  assertSeriesLength(window, interval, calendar);
  const needsFullHours = dimensions.finestPeriod === 'hour' && isLocal(interval);
  const withBounds = {
    ...query,
    window,
    reportedWindow: { ...reportedWindow, isOpen: noOpenBounds },
    // Also divides a window alike that splits no hour, and still does after its start is rounded down to the hour.
    series: { interval, calendar: needsFullHours ? calendar.atFullHours() : calendar },
  };
  return needsFullHours && calendar.splitsHours(interval, window)
    ? atFullHours(withBounds, { interval, calendar }, isOpen.end ? now.getTime() : null)
    : withBounds;
}

/**
 * Lets local days and months begin at full hours; bounds at a local midnight are rounded with them. A window that starts
 * in the hour of the midnight at its end becomes empty.
 */
function atFullHours(
  query: CostQuery,
  { interval, calendar }: { interval: LocalInterval; calendar: Calendar },
  openEndMs: number | null,
): CostQuery {
  const fullHours = calendar.atFullHours();
  const round = (ms: number) => (calendar.startOf('day', ms) === ms ? startOfPeriod('hour', ms) : ms);
  const roundWindow = ({ startMs, endMs }: TimeWindow) => ({ startMs: round(startMs), endMs: round(endMs) });
  const startMs = round(query.window.startMs);
  const endMs =
    openEndMs === null ? Math.max(startMs, round(query.window.endMs)) : fullHours.endOf(interval, openEndMs);
  const window = { startMs, endMs };
  const { presentMs } = query.reportedWindow;
  const previousLocal = presentMs === null ? previousLocalWindow(query.window, calendar) : null;
  const previous =
    previousLocal === null
      ? windowBefore({ ...window, endMs: presentMs ?? endMs })
      : roundWindow(previousLocal);
  return {
    ...query,
    window,
    previous: query.previous && previous,
    series: { interval, calendar: fullHours },
    reportedWindow: { ...query.reportedWindow, roundedTo: 'hour' },
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
