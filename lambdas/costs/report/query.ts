/** The parameters of `GET /api/costs`. */

import { invalidRequest } from '#lambdas/platform/errors.ts';
import { type RawQueryParameters, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type ModelFilter, modelFilters } from '#lambdas/request-log/model-filter.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../rollups/period.ts';

/** The values of `group_by`, each with the field that names a group in the response. */
export const groupFields = {
  model: 'model',
  provider: 'provider',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  api_key: 'api_key_id',
} as const;

export type GroupBy = keyof typeof groupFields;

/** The lengths of the elements of a series. */
export const intervals = ['hour', 'day'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

export interface CostQuery {
  window: TimeWindow;
  /** The bounds that were left out: the response has `null` for those. */
  isOpen: { start: boolean; end: boolean };
  /** A request counts when any of these matches. */
  filters: ModelFilter[];
  groupBy: GroupBy | null;
  /** How many groups are listed. */
  limit: number;
  interval: Interval | null;
}

const defaultLimit = 100;
const maxLimit = 1000;
const maxSeriesLength = 1000;
const names = ['start', 'end', 'model', 'provider', 'group_by', 'interval', 'limit'] as const;

/** Throws a `GatewayError` (400) that names the parameter and says what it must be. */
export function parseCostQuery(raw: RawQueryParameters, now: Date): CostQuery {
  const { model, provider, group_by, interval, limit, ...bounds } = readQueryParameters(raw, names);
  const groupBy =
    group_by === undefined ? null : readChoice('group_by', group_by, Object.keys(groupFields) as GroupBy[]);
  if (limit !== undefined && groupBy === null) {
    throw invalidRequest('limit', 'limit is the number of groups: give group_by with it, or leave it out');
  }
  const asked = {
    window: parseTimeWindow(bounds),
    isOpen: { start: bounds.start === undefined, end: bounds.end === undefined },
    filters: modelFilters(model, provider),
    groupBy,
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { lowest: 1, highest: maxLimit }),
    interval: null,
  };
  return interval === undefined ? asked : withSeries(asked, readChoice('interval', interval, intervals), now);
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
function withSeries(query: CostQuery, interval: Interval, now: Date): CostQuery {
  const { isOpen } = query;
  const { startMs } = query.window;
  if (isOpen.start)
    throw invalidRequest('interval', 'interval needs start: give the time of its first element');
  const endMs = isOpen.end ? endOfPeriod(interval, now.getTime()) : query.window.endMs;
  if (startMs > endMs) throw invalidRequest('start', 'start must not be in the future where end is left out');
  const window = { startMs, endMs };
  const length = periodsIn(window, interval);
  if (length > maxSeriesLength) {
    throw invalidRequest(
      'interval',
      `interval ${interval} makes a series of ${length} elements, of at most ${maxSeriesLength}: ` +
        `${interval === 'hour' ? 'take interval day, or ' : 'take '}a start and an end that are closer together`,
    );
  }
  return { ...query, window, isOpen: { start: false, end: false }, interval };
}

/** How many hours or days the window touches: counted, not listed, since a window can have millions of them. */
function periodsIn({ startMs, endMs }: TimeWindow, interval: Interval): number {
  const intervalMs = endOfPeriod(interval, 0);
  return startMs < endMs ? Math.ceil((endMs - startOfPeriod(interval, startMs)) / intervalMs) : 0;
}
