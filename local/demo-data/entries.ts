/**
 * The log entries of the demo data: the same in every run. Ordinary requests depend on their day alone, so that a run on
 * a later day adds the days since.
 */

import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { startOfDay } from './calendar.ts';
import { requestsOfDay } from './day.ts';
import { incidentsBefore } from './incidents.ts';
import { type DemoGateway, demoLogEntry } from './log-entry.ts';
import { scriptedRequests } from './scripted.ts';

interface DemoEntriesRequest extends Pick<DemoGateway, 'keys' | 'pricing'> {
  /** All requests have ended before this time. */
  until: Date;
  /** In about 30 days. The rare kinds of requests are there from 600 on. Default 10,000. */
  requests?: number;
  providerSettings?: ProviderSettingsByName;
}

/** More than 30: the last day may have just begun, and the number of requests differs from day to day. */
const plannedDays = 35;

/** Oldest first. */
export async function demoEntries({
  until,
  keys,
  pricing,
  requests = 10_000,
  providerSettings = {},
}: DemoEntriesRequest): Promise<LogEntry[]> {
  const untilMs = until.getTime();
  const lastDay = startOfDay(untilMs - 1);
  const incidents = incidentsBefore(untilMs - 1);
  const days = Array.from({ length: plannedDays }, (_, daysAgo) => lastDay - daysAgo * dayMs);
  const planned = [
    ...scriptedRequests(untilMs - 1, incidents),
    ...days.flatMap((startMs) => requestsOfDay(startMs, requests)),
  ];
  const gateway = { keys, pricing, providers: createProviderRegistry(providerSettings, noAwsAccess) };
  const entries: LogEntry[] = [];
  for (const request of planned) entries.push(await demoLogEntry(request, incidents, gateway));
  return entries
    .filter((entry) => endOf(entry) < untilMs)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(-requests);
}

function endOf({ created_at, latency_ms }: LogEntry): number {
  return Date.parse(created_at) + latency_ms;
}

/** No provider is called. */
const noAwsAccess = {
  access: { region: 'us-east-1', credentials: { accessKeyId: '', secretAccessKey: '' }, endpoints: {} },
  now: () => new Date(),
};
