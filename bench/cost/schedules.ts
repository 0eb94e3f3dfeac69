/** Reads the scheduled functions from the stack's template, and prices their runs. */
import { isDetailed, type MetricName, metricNames, metrics } from '#lambdas/platform/telemetry/metrics.ts';
import type { Template } from './deployment.ts';
import { hoursPerMonth, prices, toMicroDollars } from './prices.ts';

interface ScheduledFunction {
  description: string;
  runsPerMonth: number;
  /** Share of the hours in which it publishes metrics. */
  hourShare: number;
  /** Per month. */
  runsUsd: number;
  /** Per month, for the requests that it sends to the gateway. */
  requestsUsd: number;
}

/** Including a cold start. An assumption for a gateway without requests, not measured on AWS. */
const secondsPerRun = 2;

const hoursPerDay = 24;
const daysPerMonth = hoursPerMonth / hoursPerDay;
const minutesPerUnit: Record<string, number> = { minute: 1, hour: 60, day: 60 * hoursPerDay };

export function scheduledFunctions({ Resources }: Template): ScheduledFunction[] {
  return Object.values(Resources).flatMap(({ Type, Properties = {} }) => {
    if (Type !== 'AWS::Events::Rule' || typeof Properties.ScheduleExpression !== 'string') return [];
    const [target] = Properties.Targets as { Arn: { 'Fn::GetAtt': [string, string] } }[];
    const fn = Resources[target?.Arn['Fn::GetAtt'][0] ?? '']?.Properties ?? {};
    const description = String(fn.Description);
    const { runsPerMonth, hourShare } = readSchedule(Properties.ScheduleExpression);
    const runSeconds = secondsPerRun + (isCanary(description) ? streamTestSeconds : 0);
    const runsUsd = toMicroDollars(runsPerMonth * invocationUsd(Number(fn.MemorySize), runSeconds));
    const requestsUsd = toMicroDollars(runsPerMonth * requestsUsdPerRun(description));
    return [{ description, runsPerMonth, hourShare, runsUsd, requestsUsd }];
  });
}

/** Supports the two forms that the stack uses, such as `rate(15 minutes)` and `cron(0/15 2-5 * * ? *)`. */
function readSchedule(schedule: string): Pick<ScheduledFunction, 'runsPerMonth' | 'hourShare'> {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  if (count !== undefined) {
    const minutes = Number(count) * (minutesPerUnit[unit] ?? Number.NaN);
    return { runsPerMonth: (hoursPerMonth * 60) / minutes, hourShare: Math.min(1, 60 / minutes) };
  }
  const [, interval, firstHour, lastHour] = /^cron\(0\/(\d+) (\d+)-(\d+) \* \* \? \*\)$/.exec(schedule) ?? [];
  if (interval === undefined) throw new Error(`The cost model does not support the schedule ${schedule}`);
  const hours = Number(lastHour) - Number(firstHour) + 1;
  return {
    runsPerMonth: daysPerMonth * hours * (60 / Number(interval)),
    // The last run of a night publishes them.
    hourShare: 1 / hoursPerDay,
  };
}

function invocationUsd(memoryMb: number, seconds: number): number {
  const { lambdaRequests, lambdaDuration } = prices;
  return lambdaRequests.usd / 1e6 + (memoryMb / 1024) * seconds * lambdaDuration.usd;
}

const canaryDescription = 'Checks both endpoints';

/**
 * Requests of a run of the canary without a model, rounded up: an unknown and a deleted key, and an unknown model, at both
 * endpoints. Two of them have a log entry; the key is written and deleted.
 */
const canaryRequests = 6;
/** One at each endpoint, both at once. The canary waits for them. */
const streamTests = 2;
const streamTestSeconds = 6;
const canaryWriteUnits = 4 + 2 * (2 + 7);
const canaryLogBytes = canaryRequests * 2_000;

function isCanary(description: string): boolean {
  return description.startsWith(canaryDescription);
}

function requestsUsdPerRun(description: string): number {
  if (!isCanary(description)) return 0;
  const { restRequests, dynamodbWrites, logIngestion } = prices;
  return (
    canaryRequests * invocationUsd(256, 0.1) +
    streamTests * invocationUsd(256, streamTestSeconds) +
    (((canaryRequests + streamTests) / 2) * restRequests.usd + canaryWriteUnits * dynamodbWrites.usd) / 1e6 +
    (canaryLogBytes / 1e9) * logIngestion.usd
  );
}

/** The metrics that scheduled functions, and the canary's requests, publish without any other request. */
const metricsOfFunctions: readonly [description: string, names: readonly MetricName[]][] = [
  ['Restores the log entries', ['RecoveryRuns']],
  ["Compares the previous day's cost rollups", ['VerificationRuns']],
  [canaryDescription, ['CanaryFailures', 'RejectedKeys', 'RejectedRequests', 'RollupLag']],
];

export type PublishedLevel = 'alarms' | 'all';

/** Returns the number of custom metrics that are published without requests, in proportion to their hours. */
export function idleMetrics(template: Template, level: PublishedLevel): number {
  return scheduledFunctions(template).reduce((sum, { description, hourShare }) => {
    const [, names = []] = metricsOfFunctions.find(([text]) => description.startsWith(text)) ?? [];
    return sum + hourShare * names.filter((name) => isPublishedAt(level, name)).length;
  }, 0);
}

/** Without the canary's, and those of providers and models. */
export function metricCount(level: PublishedLevel): number {
  return metricNames.filter((name) => name !== 'CanaryFailures' && isPublishedAt(level, name)).length;
}

/** The metrics of one provider that had requests, of one model in `metricModels`, or of one operation other than chat. */
export function detailedMetricCount(): number {
  return metricNames.filter(isDetailed).length;
}

function isPublishedAt(level: PublishedLevel, name: MetricName): boolean {
  return level === 'all' || metrics[name].level === level;
}
