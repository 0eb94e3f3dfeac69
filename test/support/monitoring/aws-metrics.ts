/** Turns events of the local run into the metrics that AWS services publish about themselves, as far as alarms use them. */
import type { InvokedFunction, ServiceEvent } from '#local/service-event.ts';
import type { Measurement } from './metric-store.ts';
import { isRead, isThrottled, tablesOf } from './table-metrics.ts';

type Dimensions = Record<string, string>;
type Values = Record<string, [value: number, unit?: string]>;

export function awsMetricsOf(event: ServiceEvent, nowMs: number): Measurement[] {
  switch (event.kind) {
    case 'invocation started':
      return ofFunction(event.invoked, { ConcurrentExecutions: [event.concurrency] }, nowMs);
    case 'invocation ended': {
      const { invoked, durationMs, isError } = event;
      const values: Values = {
        Invocations: [1],
        Errors: [Number(isError)],
        Throttles: [0],
        Duration: [durationMs, 'Milliseconds'],
      };
      // As on Lambda, their time is that of the start.
      return ofFunction(invoked, values, nowMs - durationMs);
    }
    case 'invocation throttled':
      return ofFunction(event.invoked, { Throttles: [1] }, nowMs);
    case 'records sent': {
      const values: Values = { IteratorAge: [event.ageMs, 'Milliseconds'] };
      return ofFunction({ functionName: event.functionName, qualifier: undefined }, values, nowMs);
    }
    case 'function URL responded': {
      const values: Values = { UrlRequestCount: [1], Url5xxCount: [isBetween(event.status, 500, 600)] };
      return ofFunction(event.invoked, values, nowMs);
    }
    case 'API responded': {
      const { api, stage, status, latencyMs } = event;
      const values: Values = {
        Count: [1],
        '4XXError': [isBetween(status, 400, 500)],
        '5XXError': [isBetween(status, 500, 600)],
        Latency: [latencyMs, 'Milliseconds'],
      };
      return measure('AWS/ApiGateway', [{ ApiName: api }, { ApiName: api, Stage: stage }], values, nowMs);
    }
    case 'DynamoDB responded': {
      const sets = tablesOf(event.request).map((name) => ({ TableName: name, Operation: event.operation }));
      const values: Values = { SuccessfulRequestLatency: [event.latencyMs, 'Milliseconds'] };
      return measure('AWS/DynamoDB', sets, values, nowMs);
    }
    case 'DynamoDB failed': {
      if (!isThrottled(event.response)) return [];
      const name = isRead(event.operation) ? 'ReadThrottleEvents' : 'WriteThrottleEvents';
      const sets = tablesOf(event.request).map((TableName) => ({ TableName }));
      return measure('AWS/DynamoDB', sets, { [name]: [1] }, nowMs);
    }
    case 'queue sampled': {
      const values: Values = {
        ApproximateNumberOfMessagesVisible: [event.visibleMessages],
        ApproximateNumberOfMessagesNotVisible: [event.hiddenMessages],
      };
      // A period that ends now does not include the present.
      return measure('AWS/SQS', [{ QueueName: event.queueName }], values, nowMs - 1);
    }
    case 'line written':
      return [];
    default:
      return event satisfies never;
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-view.html */
function ofFunction({ functionName, qualifier }: InvokedFunction, values: Values, atMs: number) {
  const byFunction = { FunctionName: functionName };
  const byAlias = { ...byFunction, Resource: `${functionName}:${qualifier}` };
  return measure('AWS/Lambda', qualifier === undefined ? [byFunction] : [byFunction, byAlias], values, atMs);
}

function measure(namespace: string, dimensionSets: Dimensions[], values: Values, atMs: number) {
  return Object.entries(values).flatMap(([name, [value, unit = 'Count']]): Measurement[] =>
    dimensionSets.map((dimensions) => ({
      metric: { namespace, name, dimensions },
      unit,
      values: [value],
      atMs,
    })),
  );
}

function isBetween(status: number | null, min: number, end: number): number {
  return Number(status !== null && status >= min && status < end);
}
