/** The metrics that tests know. An alarm on another one would never have data. */
import { metricNames, metricNamespace } from '#lambdas/platform/telemetry/metrics.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { Metric } from './metric-store.ts';

interface KnownMetrics {
  names: readonly string[];
  dimensionSets: readonly string[];
}

const byFunction = 'FunctionName';
const byAlias = 'FunctionName,Resource';

const known: Record<string, readonly KnownMetrics[]> = {
  [metricNamespace]: [
    { names: metricNames, dimensionSets: ['Stack', 'Provider,Stack', 'Model,Stack', 'Operation,Stack'] },
  ],
  'AWS/ApiGateway': [
    {
      names: ['Count', '4XXError', '5XXError', 'Latency'],
      dimensionSets: ['ApiName', 'ApiName,Stage'],
    },
  ],
  'AWS/DynamoDB': [
    { names: ['SuccessfulRequestLatency'], dimensionSets: ['Operation,TableName'] },
    { names: ['ReadThrottleEvents', 'WriteThrottleEvents'], dimensionSets: ['TableName'] },
    // Have no data: no local index throttles.
    {
      names: ['ReadThrottleEvents', 'WriteThrottleEvents'],
      dimensionSets: ['GlobalSecondaryIndexName,TableName'],
    },
  ],
  'AWS/Lambda': [
    {
      names: ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
      dimensionSets: [byFunction, byAlias],
    },
    { names: ['UrlRequestCount', 'Url5xxCount'], dimensionSets: [byFunction, byAlias] },
    { names: ['IteratorAge'], dimensionSets: [byFunction] },
    // Has no data: the quota belongs to an AWS account.
    { names: ['ConcurrentExecutions'], dimensionSets: [''] },
  ],
  'AWS/SQS': [
    {
      names: ['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesNotVisible'],
      dimensionSets: ['QueueName'],
    },
  ],
};

export function assertKnownMetric({ namespace, name, dimensions }: Metric, where: string): void {
  const dimensionNames = Object.keys(dimensions).sort().join();
  const isKnown = known[namespace]?.some(
    ({ names, dimensionSets }) => names.includes(name) && dimensionSets.includes(dimensionNames),
  );
  if (isKnown) return;
  throw new LocalGatewayError(
    `${where}: tests do not record ${namespace} ${name} by ${dimensionNames || 'no dimension'}`,
  );
}
