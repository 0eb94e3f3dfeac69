import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/costs/rollups/period.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import {
  type RawQueryParameters,
  readInteger,
  readQueryParameters,
  readText,
} from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type ModelFilter, modelFilters } from '#lambdas/request-log/model-filter.ts';

/** The values of `group_by`, each with the response field that has the group's value. */
export const groupFields = {
  model: 'model',
  provider: 'provider',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  api_key: 'api_key_id',
} as const;

export type GroupBy = keyof typeof groupFields;

export const intervals = ['hour', 'day'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

export interface CostQuery {
  window: TimeWindow;
  /** True for an omitted bound: the response then has `null`. */
  isOpen: { start: boolean; end: boolean };
  /** A request is included when any of these matches. */
  filters: ModelFilter[];
  /** `null` for all requests. */
  serviceTier: string | null;
  groupBy: GroupBy | null;
  limit: number;
  interval: Interval | null;
}

const defaultLimit = 100;
const maxLimit = 1000;
const maxSeriesLength = 1000;
const filterNames = ['model', 'provider', 'service_tier'] as const;
const parameterNames = ['start', 'end', ...filterNames, 'group_by', 'interval', 'limit'] as const;

/** Parses the query of `GET /api/costs`. Throws a `GatewayError` (400) that names the invalid parameter. */
export function parseCostQuery(raw: RawQueryParameters, now: Date): CostQuery {
  const parameters = readQueryParameters(raw, parameterNames);
  const { model, provider, service_tier, group_by, interval, limit, ...bounds } = parameters;
  const groupBy =
    group_by === undefined ? null : readChoice('group_by', group_by, Object.keys(groupFields) as GroupBy[]);
  if (limit !== undefined && groupBy === null) {
    throw invalidRequest('limit', 'limit requires group_by: add group_by, or omit limit');
  }
  const query = {
    window: parseTimeWindow(bounds),
    isOpen: { start: bounds.start === undefined, end: bounds.end === undefined },
    filters: modelFilters(model, provider),
    serviceTier: service_tier === undefined ? null : readText('service_tier', service_tier),
    groupBy,
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
    interval: null,
  };
  return interval === undefined
    ? query
    : withInterval(query, readChoice('interval', interval, intervals), now);
}

function readChoice<Choice extends string>(param: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw invalidRequest(param, `${param} must be one of ${choices.join(', ')}`);
  return choice;
}

/**
 * A series needs both bounds. An omitted `end` becomes the end of the current hour or day instead of the current time, so
 * that the window has no partial period at its end, for which entries would have to be read.
 */
function withInterval(query: CostQuery, interval: Interval, now: Date): CostQuery {
  const { isOpen } = query;
  const { startMs } = query.window;
  if (isOpen.start)
    throw invalidRequest('interval', 'interval requires start: set start to the time of the first element');
  const endMs = isOpen.end ? endOfPeriod(interval, now.getTime()) : query.window.endMs;
  if (startMs > endMs) throw invalidRequest('start', 'start must not be in the future when end is omitted');
  const window = { startMs, endMs };
  const seriesLength = countPeriods(window, interval);
  if (seriesLength > maxSeriesLength) {
    throw invalidRequest(
      'interval',
      `interval=${interval} makes a series of ${seriesLength} elements (at most ${maxSeriesLength} are allowed): ` +
        `${interval === 'hour' ? 'use interval=day, or ' : ''}choose a shorter window`,
    );
  }
  return { ...query, window, isOpen: { start: false, end: false }, interval };
}

/** Counts the periods that overlap the window without listing them: there can be millions. */
function countPeriods({ startMs, endMs }: TimeWindow, interval: Interval): number {
  const intervalMs = endOfPeriod(interval, 0);
  return startMs < endMs ? Math.ceil((endMs - startOfPeriod(interval, startMs)) / intervalMs) : 0;
}
