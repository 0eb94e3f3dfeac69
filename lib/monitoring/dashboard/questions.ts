/** The first part of the dashboard: the questions of an operator, in their order. */

import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { MetricName } from '#lambdas/platform/telemetry/metrics.ts';
import {
  type Aggregation,
  apiMetric,
  entryWrites,
  expression,
  functionMetric,
  gatewayMetric,
  queueMetric,
} from '../metrics.ts';
import type { MonitoredResources } from '../resources.ts';
import { byModel, byProvider, type Graph, graphs, lastHour, text } from './widgets.ts';

export function isItUp(resources: MonitoredResources): IWidget[][] {
  const { stackName, chat, restApi } = resources;
  const metric = metricsOf(stackName);
  return [
    [
      text(
        '## Is it up?\nThe gateway fails when it responds with 5XX that no provider caused, or when Lambda kills or refuses invocations.',
        2,
      ),
    ],
    graphs(
      {
        title: 'Requests',
        left: [
          functionMetric(chat.function, 'Invocations', { label: 'chat' }),
          functionMetric(chat.function, 'UrlRequestCount', { label: 'function URL' }),
          apiMetric(restApi, 'Count', { statistic: 'SampleCount', label: 'REST API' }),
        ],
      },
      {
        title: 'Responses with 5XX',
        left: [
          metric('InternalErrors', 'internal errors'),
          functionMetric(chat.function, 'Url5xxCount', { label: 'function URL' }),
          apiMetric(restApi, '5XXError', { label: 'REST API' }),
          metric('ProviderErrorResponses', 'caused by providers'),
        ],
      },
      {
        title: 'Chat: killed, refused and concurrent invocations',
        left: [
          functionMetric(chat.function, 'Errors', { label: 'killed' }),
          functionMetric(chat.function, 'Throttles', { label: 'refused' }),
        ],
        right: [
          functionMetric(chat.function, 'ConcurrentExecutions', {
            statistic: 'Maximum',
            label: 'concurrent, right',
          }),
        ],
      },
    ),
    graphs(
      {
        title: "Gateway's own share of the latency, ms",
        left: [
          metric('GatewayOverhead', 'p50', { statistic: 'p50' }),
          metric('GatewayOverhead', 'p99', { statistic: 'p99' }),
        ],
      },
      {
        title: 'Refused requests',
        left: [
          metric('RejectedKeys', 'without a valid key'),
          metric('RejectedRequests', 'with a valid key'),
          metric('RateLimitedRequests', 'of these: by rate limits'),
          apiMetric(restApi, '4XXError', { label: 'REST API: all 4XX' }),
        ],
        right: [metric('RateLimitsNotChecked', 'admitted without rate limits, right')],
      },
      ...canaryGraphs(resources),
    ),
  ];
}

function canaryGraphs({ settings, stackName }: MonitoredResources): Graph[] {
  if (settings.canary === null) return [];
  const metric = metricsOf(stackName);
  return [
    {
      title: 'Canary',
      left: [
        metric('CanaryFailures', 'runs', { statistic: 'SampleCount' }),
        metric('CanaryFailures', 'failed runs'),
      ],
    },
  ];
}

export function isItUsOrAProvider({ stackName }: MonitoredResources): IWidget[][] {
  const metric = metricsOf(stackName);
  return [
    [
      text(
        '## Is it us or a provider?\nThe saved queries `errors-by-code`, `failed-attempts` and `slow-providers` show models and error codes.',
        2,
      ),
    ],
    graphs(
      {
        title: 'Failures by cause',
        left: [
          metric('ProviderErrors', 'provider failed'),
          metric('ProviderTimeouts', 'of these: timeouts'),
          metric('ProviderThrottles', 'provider: 429'),
          metric('ProviderRejections', 'provider: other 4XX'),
          metric('InternalErrors', 'internal error'),
          metric('InterruptedRequests', 'killed'),
          metric('ClientDisconnects', 'caller left'),
        ],
      },
      { title: 'Failures by provider', left: byProvider(stackName, 'ProviderErrors'), stacked: true },
      {
        title: 'Median times, ms',
        left: [
          metric('Latency', 'whole request', { statistic: 'p50' }),
          metric('TimeToFirstToken', 'until the first token', { statistic: 'p50' }),
          metric('GatewayOverhead', "gateway's own share", { statistic: 'p50' }),
        ],
      },
    ),
    graphs(
      {
        title: 'Requests to routes',
        left: [
          metric('FallbackAttempts', 'failed, sent to another target'),
          metric('RequestsWithoutTarget', 'failed at every target'),
          metric('MisconfiguredTargets', 'credential or model refused'),
        ],
      },
      {
        title: 'Failed attempts by provider, followed by another target',
        left: byProvider(stackName, 'FallbackAttempts'),
        stacked: true,
      },
    ),
  ];
}

export function whatDoesItCost({ stackName, settings }: MonitoredResources): IWidget[][] {
  const metric = metricsOf(stackName);
  const cost = metric('CostUsd', 'dollars');
  const requests = metric('Requests', 'requests that reached a provider');
  const byNamedModel: Graph[] =
    settings.metricModels.length === 0
      ? []
      : [{ title: 'Dollars by model of metricModels', left: byModel(stackName, 'CostUsd'), stacked: true }];
  return [
    [
      text(
        '## What does it cost?\nWhat providers charge for the requests counted so far. `GET /api/costs` has the exact sums; the saved query `top-spenders` shows organizations and keys.',
        2,
      ),
    ],
    [
      lastHour('Cost in the last hour', [
        cost,
        requests,
        expression('1000 * cost / requests', { cost, requests }, 'dollars per 1,000 requests'),
        metric('InputTokens', 'input tokens'),
        metric('OutputTokens', 'output tokens'),
        metric('UnpricedRequests', 'requests without a price'),
        metric('AssumedRequests', 'requests with an assumed price'),
        metric('EstimatedRequests', 'requests with estimated usage'),
        expression(
          '100 * FILL(uncertain, 0) / cost',
          { uncertain: metric('UncertainCostUsd', 'uncertain dollars'), cost },
          'percent of the cost assumed or estimated',
        ),
      ]),
    ],
    graphs(
      { title: 'Dollars by provider', left: byProvider(stackName, 'CostUsd'), stacked: true },
      ...byNamedModel,
      {
        title: 'Tokens',
        left: [metric('InputTokens', 'input'), metric('OutputTokens', 'output')],
        stacked: true,
      },
      {
        title: 'Requests with an uncertain cost',
        left: [
          metric('UnpricedRequests', 'no price'),
          metric('AssumedRequests', 'assumed price'),
          metric('EstimatedRequests', 'estimated usage'),
        ],
        right: [metric('UncertainCostUsd', 'dollars assumed or estimated, right')],
      },
    ),
  ];
}

export function isEveryRequestCounted(resources: MonitoredResources): IWidget[][] {
  const { stackName, chat, logEntries, rollup, logRecovery } = resources;
  const metric = metricsOf(stackName);
  const received = functionMetric(chat.function, 'Invocations', { label: 'invocations of chat' });
  const written = entryWrites(logEntries, { label: 'entries written' });
  const entries = {
    written,
    requests: gatewayMetric(stackName, 'Requests'),
    rejected: gatewayMetric(stackName, 'RejectedRequests'),
    limited: gatewayMetric(stackName, 'RateLimitedRequests'),
    // An entry of a request that a rate limit refused can stand for several.
    limitedEntries: gatewayMetric(stackName, 'RateLimitedRequests', { statistic: 'SampleCount' }),
  };
  const { written: _, ...countedEntries } = entries;
  const formula = 'FILL(requests, 0) + FILL(rejected, 0) - FILL(limited, 0) + FILL(limitedEntries, 0)';
  const counted = expression(formula, countedEntries, 'entries counted');
  const uncounted = expression(`FILL(written, 0) - (${formula})`, entries, 'written − counted');
  return [
    [
      text(
        '## Is every request counted?\n**Written − counted** is about 0: entries are counted a second after they were written, at the time when their request ended, so those of the last seconds and of recovered requests can be missing or surplus. More for 10 minutes: counting is delayed. **Not written** entries are restored half an hour later, and so are those of killed requests. **Waiting** entries are in the queue of lost entries or its dead-letter queue. Invocations of chat also include requests without a valid key, for the list of models, and for unknown paths. `--` stands for none.',
        3,
      ),
    ],
    [
      lastHour('Requests in the last hour', [
        received,
        written,
        counted,
        uncounted,
        metric('QueuedEntries', 'entries queued'),
        metric('UnwrittenEntries', 'entries not written'),
        metric('WaitingEntries', 'most entries waiting', { statistic: 'Maximum' }),
        metric('RecoveredEntries', 'entries recovered'),
        metric('InterruptedRequests', 'killed, cost unknown'),
      ]),
    ],
    graphs(
      { title: 'Received, written and counted', left: [received, written, counted] },
      {
        title: 'Delay of counting',
        left: [metric('RollupLag', 'lag, seconds', { statistic: 'Maximum' })],
        right: [
          functionMetric(rollup.function, 'IteratorAge', {
            statistic: 'Maximum',
            label: 'age in the stream, ms, right',
          }),
        ],
      },
      {
        title: 'Entries that wait',
        left: [
          visibleMessages(logRecovery.queue, 'queue of lost entries'),
          visibleMessages(logRecovery.deadLetterQueue, 'dead letters of lost entries'),
          visibleMessages(rollup.deadLetterQueue, 'dead letters of rollups'),
          metric('WaitingEntries', 'found by the recovery', { statistic: 'Maximum' }),
        ],
      },
    ),
    graphs(
      {
        title: 'Failed writes of entries',
        left: [metric('QueuedEntries', 'queued'), metric('UnwrittenEntries', 'not written')],
      },
      {
        title: 'Recovery of killed requests, every 15 minutes',
        left: [metric('RecoveredEntries', 'entries recovered')],
        right: [metric('RecoveryRuns', 'complete runs, right')],
      },
      {
        title: 'Verification of the rollups, every night, in three days',
        start: '-P3D',
        left: [metric('RollupDifferences', 'rows that differ')],
        right: [metric('VerificationRuns', 'complete verifications, right')],
      },
    ),
  ];
}

function visibleMessages(queue: IQueue, label: string) {
  return queueMetric(queue, 'ApproximateNumberOfMessagesVisible', { statistic: 'Maximum', label });
}

/** Returns a function for the metrics of one stack, with labels. */
function metricsOf(stackName: string) {
  return (name: MetricName, label: string, aggregation: Aggregation = {}) =>
    gatewayMetric(stackName, name, { ...aggregation, label });
}
