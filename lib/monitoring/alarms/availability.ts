/** Alarms that tell whether the gateway is up. */

import type { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { apiMetric, errorPeriodMinutes, expression, functionMetric, gatewayMetric, sum } from '../metrics.ts';
import { apiFunctions, dashboardFunctions, type MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

export function availabilityAlarms(resources: MonitoredResources): AlarmDefinition[] {
  const { stackName, chat, restApi } = resources;
  return [
    {
      id: 'internal-errors',
      severity: 'page',
      level: 'alarms',
      summary: 'The gateway itself answered at least 5 requests with 500 or 503 within 5 minutes.',
      metric: gatewayMetric(stackName, 'InternalErrors'),
      comparison: '>=',
      threshold: 5,
      missing: 'notBreaching',
    },
    {
      id: 'chat-errors',
      severity: 'page',
      level: 'alarms',
      summary:
        'At least 5 invocations of the chat function were killed within 20 minutes: timeout, out of memory, or a crash.',
      metric: functionMetric(chat.function, 'Errors', { minutes: errorPeriodMinutes }),
      comparison: '>=',
      threshold: 5,
      missing: 'notBreaching',
    },
    {
      id: 'server-errors',
      severity: 'page',
      level: 'all',
      summary:
        'In two of three periods of 5 minutes, at least 10 responses had a status of 500 or above that no provider caused.',
      metric: expression('FILL(api, 0) + FILL(url, 0) - FILL(provider, 0)', {
        api: apiMetric(restApi, '5XXError'),
        url: functionMetric(chat.function, 'Url5xxCount'),
        provider: gatewayMetric(stackName, 'ProviderErrorResponses'),
      }),
      comparison: '>=',
      threshold: 10,
      // In one period, failures of providers may not be counted yet.
      periods: 3,
      breachingPeriods: 2,
      missing: 'notBreaching',
    },
    {
      id: 'gateway-overhead',
      severity: 'ticket',
      level: 'all',
      summary:
        "For 15 minutes, the gateway's own share of the latency exceeded 500 ms for one of 100 or more requests.",
      // A percentile of a few requests is their maximum.
      metric: expression('IF(FILL(requests, 0) >= 100, FILL(p99, 0), 0)', {
        requests: gatewayMetric(stackName, 'GatewayOverhead', { statistic: 'SampleCount' }),
        p99: gatewayMetric(stackName, 'GatewayOverhead', { statistic: 'p99' }),
      }),
      comparison: '>',
      threshold: 500,
      periods: 3,
      missing: 'notBreaching',
    },
    {
      id: 'function-errors',
      severity: 'ticket',
      level: 'all',
      summary: 'Functions of the API or the dashboard were killed at least 3 times within 5 minutes.',
      metric: sum(functionsWithAlarm(resources).map((fn) => functionMetric(fn, 'Errors'))),
      comparison: '>=',
      threshold: 3,
      missing: 'notBreaching',
    },
    {
      id: 'rejected-keys',
      severity: 'ticket',
      level: 'all',
      summary: 'At least 100 requests within 5 minutes had no valid API key.',
      metric: gatewayMetric(stackName, 'RejectedKeys'),
      comparison: '>=',
      threshold: 100,
      missing: 'notBreaching',
    },
    {
      id: 'rate-limits-not-checked',
      severity: 'ticket',
      level: 'alarms',
      summary:
        'At least 5 requests within 5 minutes were admitted although their rate limits could not be checked.',
      metric: gatewayMetric(stackName, 'RateLimitsNotChecked'),
      comparison: '>=',
      threshold: 5,
      missing: 'notBreaching',
    },
    ...canaryAlarms(resources),
  ];
}

/** At most ten, the limit of an alarm. Others have alarms of their own, also for runs of scheduled functions that are missing. */
function functionsWithAlarm(resources: MonitoredResources): GatewayFunction[] {
  const { chat, dashboard } = resources;
  return [...apiFunctions(resources), ...dashboardFunctions(resources)].filter(
    (fn) => fn !== chat.function && fn !== dashboard?.signUp,
  );
}

/** The duration of a run, and the time until its metric is there. */
const canaryDelayMinutes = 5;

function canaryAlarms({ settings, stackName }: MonitoredResources): AlarmDefinition[] {
  if (settings.canary === null) return [];
  // A window that both runs are in, wherever it begins. With a period for each run, one between two runs could be empty.
  const minutes = 2 * settings.canary.everyMinutes + canaryDelayMinutes;
  return [
    {
      id: 'canary-failed',
      severity: 'page',
      level: 'alarms',
      summary: 'Two runs of the canary in a row failed or did not take place.',
      metric: gatewayMetric(stackName, 'CanaryFailures', { statistic: 'Minimum', minutes }),
      fill: 1,
      comparison: '>=',
      threshold: 1,
      missing: 'breaching',
    },
  ];
}
