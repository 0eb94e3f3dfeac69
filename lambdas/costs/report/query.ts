/** What `GET /api/costs` asks for. */
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type ModelFilter, modelFilters } from '#lambdas/request-log/model-filter.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../rollups/period.ts';
/** What costs can be grouped by, and the field that names a group in the answer. */
export const groupFields = {
  model: 'model',
  provider: 'provider',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  api_key: 'api_key_id',
} as const;

export type GroupBy = keyof typeof groupFields;

export interface CostQuery {
  window: TimeWindow;
  /** Which bounds were left out: the answer tells those as `null`. */
  isOpen: { start: boolean; end: boolean };
  /** A request belongs to the answer when any of these matches. */
  filters: ModelFilter[];
  groupBy: GroupBy | null;
  /** How many groups the answer names. */
  limit: number;
  interval: Interval | null;
}

const defaultLimit = 100;
const highestLimit = 1000;
const longestSeries = 1000;
const names = ['start', 'end', 'model', 'provider', 'group_by', 'interval', 'limit'] as const;

/** Throws a `GatewayError` (400) that names the parameter and says what it must be. */
export function parseCostQuery(raw: RawQueryParameters, now: Date): CostQuery {
  const { model, provider, group_by, interval, limit, ...bounds } = readQueryParameters(raw, names);
  const groupBy = group_by === undefined ? null : readGroupBy(group_by);
  if (limit !== undefined && groupBy === null) {
    throw invalidRequest('limit', 'limit is the number of groups: give group_by with it, or leave it out');
  }
  const asked = {
    window: parseTimeWindow(bounds),
    isOpen: { start: bounds.start === undefined, end: bounds.end === undefined },
    filters: modelFilters(model, provider),
    groupBy,
    limit:
      limit === undefined ? defaultLimit : readInteger('limit', limit, { lowest: 1, highest: highestLimit }),
    interval: null,
  };
  return interval === undefined ? asked : withSeries(asked, { interval: readInterval(interval), now });
}

function readGroupBy(text: string): GroupBy {
  const choices = Object.keys(groupFields) as GroupBy[];
  return readChoice('group_by', text, choices);
}

function readInterval(text: string): Interval {
  return readChoice('interval', text, intervals);
}

function readChoice<Choice extends string>(param: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw invalidRequest(param, `${param} must be one of ${choices.join(', ')}`);
  return choice;
}

/**
 * A series has to begin and end. Without `end` it goes on to the end of the hour or day that it is now: nothing lies
 * between now and then, and a bound there cuts nothing, so the present costs no more than the past.
 */
function withSeries(query: CostQuery, { interval, now }: { interval: Interval; now: Date }): CostQuery {
  const { isOpen } = query;
  const { startMs } = query.window;
  if (isOpen.start)
    throw invalidRequest('interval', 'interval needs start: give the time of its first element');
  const endMs = isOpen.end ? endOfPeriod(interval, now.getTime()) : query.window.endMs;
  if (startMs > endMs) throw invalidRequest('start', 'start must not be in the future where end is left out');
  const window = { startMs, endMs };
  const length = seriesLength(window, interval);
  if (length > longestSeries) {
    throw invalidRequest(
      'interval',
      `interval ${interval} makes a series of ${length} elements, of at most ${longestSeries}: ` +
        `${interval === 'hour' ? 'take interval day, or ' : 'take '}a start and an end that are closer together`,
    );
  }
  return { ...query, window, isOpen: { start: false, end: false }, interval };
}

// A window as a series of hours or days, the first and the last of them cut as the window cuts them.

export const intervals = ['hour', 'day'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

/** How many hours or days the window touches. */
export function seriesLength({ startMs, endMs }: TimeWindow, interval: Interval): number {
  return startMs < endMs ? placeInSeries(endMs - 1, { startMs, interval }) + 1 : 0;
}

/** The elements, in order; together they are the window. */
export function seriesOf(window: TimeWindow, interval: Interval): TimeWindow[] {
  const elements: TimeWindow[] = [];
  for (let { startMs } = window; startMs < window.endMs; ) {
    const endMs = Math.min(endOfPeriod(interval, startMs), window.endMs);
    elements.push({ startMs, endMs });
    startMs = endMs;
  }
  return elements;
}

/** What belongs to each element of the window's series. All of it must lie in the window. */
export function splitIntoSeries<Dated extends { startMs: number }>(
  items: Iterable<Dated>,
  { window, interval }: { window: TimeWindow; interval: Interval },
): Dated[][] {
  const elements: Dated[][] = Array.from({ length: seriesLength(window, interval) }, () => []);
  const { startMs } = window;
  for (const item of items) elements[placeInSeries(item.startMs, { startMs, interval })]?.push(item);
  return elements;
}

function placeInSeries(
  timestampMs: number,
  { startMs, interval }: { startMs: number; interval: Interval },
): number {
  const elementMs = endOfPeriod(interval, 0);
  return Math.floor((timestampMs - startOfPeriod(interval, startMs)) / elementMs);
}
