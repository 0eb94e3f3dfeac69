/** Alarms that tell whether the gateway or a provider fails, and whether costs are known. */

import { expression, gatewayMetric } from '../metrics.ts';
import type { MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

export function providerAlarms({ stackName }: MonitoredResources): AlarmDefinition[] {
  return [
    {
      id: 'provider-errors',
      severity: 'page',
      level: 'alarms',
      summary: 'Providers failed more than a quarter of the requests within 5 minutes, and at least 10.',
      metric: expression('IF(FILL(errors, 0) >= 10, 100 * errors / requests, 0)', {
        errors: gatewayMetric(stackName, 'ProviderErrors'),
        requests: gatewayMetric(stackName, 'Requests'),
      }),
      comparison: '>',
      threshold: 25,
      missing: 'notBreaching',
    },
    {
      id: 'requests-without-target',
      severity: 'ticket',
      level: 'alarms',
      summary: 'Within 5 minutes, at least 5 requests to routes failed at every target.',
      metric: gatewayMetric(stackName, 'RequestsWithoutTarget'),
      comparison: '>=',
      threshold: 5,
      missing: 'notBreaching',
    },
    {
      id: 'misconfigured-targets',
      severity: 'ticket',
      level: 'alarms',
      summary:
        'Within an hour, a provider refused the credential or the model of a target, and requests went to other targets.',
      metric: gatewayMetric(stackName, 'MisconfiguredTargets', { minutes: 60 }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'unpriced-requests',
      severity: 'ticket',
      level: 'all',
      summary: 'Within an hour, a request had no known price, and is in the sums with $0.',
      metric: gatewayMetric(stackName, 'UnpricedRequests', { minutes: 60 }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'uncertain-costs',
      severity: 'ticket',
      level: 'all',
      summary: 'Within an hour, more than half of the cost was assumed or estimated, and at least $1.',
      metric: expression('IF(FILL(uncertain, 0) >= 1, 100 * uncertain / cost, 0)', {
        uncertain: gatewayMetric(stackName, 'UncertainCostUsd', { minutes: 60 }),
        cost: gatewayMetric(stackName, 'CostUsd', { minutes: 60 }),
      }),
      comparison: '>',
      threshold: 50,
      missing: 'notBreaching',
    },
  ];
}
