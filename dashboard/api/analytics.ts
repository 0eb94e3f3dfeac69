/** Queries of the function `Analytics`. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { GroupBy, Interval } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs, minuteMs } from '#lambdas/platform/duration.ts';
import { get, withParameters } from './client.ts';

/** Filters of costs and logs by the names of their parameters. */
export interface Filters {
  model?: string;
  provider?: string;
  operation?: string;
  service_tier?: string;
  api_key_id?: string;
  prompt_id?: string;
  session_id?: string;
  user_id?: string;
  route?: string;
  error_code?: string;
}

/** Bounds are dates of the time zone, such as `2026-11-23`, or RFC 3339 timestamps; `end` is exclusive. */
export interface TimeBounds {
  start?: string;
  /** The present if it is missing. */
  end?: string;
  /** IANA name. Default: UTC. */
  time_zone?: string;
}

export interface CostParameters extends Filters, TimeBounds {
  group_by?: GroupBy;
  /** The maximum number of groups; requires `group_by`. */
  limit?: number;
  /** A figure of the groups, such as `error_rate`; by cost if it is missing. */
  order_by?: string;
  /** The highest first if it is missing. */
  order?: 'asc';
  /** Lists only groups whose value has this text. */
  search?: string;
  interval?: Interval;
  compare?: 'previous';
}

export interface LogParameters extends Filters, TimeBounds {
  status?: string;
  outcome?: string;
  finish_reason?: string;
  response_id?: string;
  provider_request_id?: string;
  /** A figure of requests, such as `cost_usd`. Default: by time. */
  sort?: string;
  order?: 'asc';
  limit?: number;
}

/** The path of an organization's analytics, such as `/analytics/org_1/costs?group_by=model`. */
export function analyticsPath<Resource extends string>(
  organizationId: string,
  resource: Resource,
  parameters: object = {},
): `/analytics/${string}${Resource}` {
  return withParameters(`/analytics/${encodeURIComponent(organizationId)}${resource}`, parameters);
}

/** Below the key of the organization, so that leaving it removes them. */
function analyticsKey(organizationId: string, ...rest: readonly (string | object)[]) {
  return ['organizations', organizationId, 'analytics', ...rest] as const;
}

/** Below it are the reports of costs. */
export function costsKey(organizationId: string) {
  return analyticsKey(organizationId, 'costs');
}

/** The interval at which a report of costs is read again. */
export const costsReloadMs = minuteMs;

/** A range that a report is compared with, by a name that is unique among those of the same range. */
export interface SecondRange {
  name: string;
  /** At the time at which the report is read. */
  boundsAt: (now: Date) => { start: string; end: string };
}

/** New figures replace the shown ones when they arrive, without a skeleton in between. */
export function costsQuery(
  organizationId: string,
  parameters: CostParameters,
  secondRange: SecondRange | null = null,
) {
  return queryOptions({
    queryKey: [...costsKey(organizationId), parameters, ...(secondRange ? [secondRange.name] : [])],
    queryFn: ({ signal }) => {
      const second = secondRange?.boundsAt(new Date());
      const compared = second && { compare_start: second.start, compare_end: second.end };
      return get(analyticsPath(organizationId, '/costs', { ...parameters, ...compared }), signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: costsReloadMs,
  });
}

/** The values of a group whose names have the text, those with the highest spend in the last 30 days first. */
export function groupSearchQuery(organizationId: string, group: GroupBy, search: string, limit: number) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'group-search', { group, search, limit }),
    queryFn: async ({ signal }) => {
      const start = new Date(Date.now() - 30 * dayMs).toISOString().slice(0, 10);
      const parameters = { start, group_by: group, search, limit };
      const { groups } = await get(analyticsPath(organizationId, '/costs', parameters), signal);
      return groups.flatMap(({ value }) => (value === null ? [] : [value]));
    },
    staleTime: minuteMs,
  });
}

/** @param startedAt tells lists apart that were started at different times, since each stays as it is */
export function logsQuery(organizationId: string, parameters: LogParameters, startedAt = '') {
  return infiniteQueryOptions({
    queryKey: analyticsKey(organizationId, 'logs', parameters, startedAt),
    queryFn: ({ pageParam: cursor, signal }) =>
      get(analyticsPath(organizationId, '/logs', { ...parameters, cursor }), signal),
    // Without a cursor, the first page.
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** The first page of the newest entries. */
export function newestLogsQuery(organizationId: string, parameters: LogParameters) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'newest-logs', parameters),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, '/logs', parameters), signal),
    placeholderData: keepPreviousData,
  });
}

export function logEntryQuery(organizationId: string, id: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'log', id),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, `/logs/${encodeURIComponent(id)}`), signal),
  });
}

export function callerSessionQuery(organizationId: string, sessionId: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'session', sessionId),
    queryFn: ({ signal }) =>
      get(analyticsPath(organizationId, '/session', { session_id: sessionId }), signal),
  });
}

export function providerListQuery(organizationId: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'providers'),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, '/providers'), signal),
    staleTime: minuteMs,
  });
}

export function modelListQuery(organizationId: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'models'),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, '/models'), signal),
    staleTime: 5 * minuteMs,
  });
}

export function projectionQuery(organizationId: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'projection'),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, '/projection'), signal),
    refetchInterval: minuteMs,
  });
}

/** @param month such as `2026-11` */
export function statementQuery(organizationId: string, month: string) {
  return queryOptions({
    queryKey: analyticsKey(organizationId, 'statement', month),
    queryFn: ({ signal }) => get(analyticsPath(organizationId, `/statements/${month}`), signal),
  });
}
