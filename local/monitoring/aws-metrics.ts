/** Records the metrics that AWS services publish about themselves, as far as alarms use them. */
import type { Measurement } from './metric-store.ts';

export interface InvokedFunction {
  functionName: string;
  /** The alias through which it was invoked. */
  qualifier: string | undefined;
}

export interface AwsMetrics {
  /** `concurrency` includes this invocation. */
  invocationStarted(fn: InvokedFunction, concurrency: number): void;
  invocationEnded(fn: InvokedFunction, result: { durationMs: number; isError: boolean }): void;
  invocationThrottled(fn: InvokedFunction): void;
  /** The age of the last record of a batch when it is sent to the function. */
  iteratorAge(functionName: string, ageMs: number): void;
  functionUrlResponded(fn: InvokedFunction, status: number | null): void;
  apiResponded(
    api: { name: string; stage: string },
    response: { status: number | null; latencyMs: number },
  ): void;
  tableResponded(call: { tableNames: readonly string[]; operation: string; latencyMs: number }): void;
  tableThrottled(call: { tableNames: readonly string[]; isRead: boolean }): void;
  queueSampled(queueName: string, sample: QueueSample): void;
}

interface QueueSample {
  atMs: number;
  visibleMessages: number;
  /** Messages that a consumer has received, but not deleted. */
  hiddenMessages: number;
}

type Dimensions = Record<string, string>;

export function createAwsMetrics(record: (measurement: Measurement) => void, now: () => number): AwsMetrics {
  const recordOne = (
    namespace: string,
    name: string,
    unit: string,
    dimensionSets: Dimensions[],
    value: number,
    atMs = now(),
  ) => {
    for (const dimensions of dimensionSets)
      record({ metric: { namespace, name, dimensions }, unit, values: [value], atMs });
  };
  const lambda = (fn: InvokedFunction, name: string, value: number, { unit = 'Count', atMs = now() } = {}) =>
    recordOne('AWS/Lambda', name, unit, functionDimensions(fn), value, atMs);
  return {
    invocationStarted: (fn, concurrency) => lambda(fn, 'ConcurrentExecutions', concurrency),
    invocationEnded(fn, { durationMs, isError }) {
      // As on Lambda, their time is that of the start.
      const atMs = now() - durationMs;
      lambda(fn, 'Invocations', 1, { atMs });
      lambda(fn, 'Errors', Number(isError), { atMs });
      lambda(fn, 'Throttles', 0, { atMs });
      lambda(fn, 'Duration', durationMs, { unit: 'Milliseconds', atMs });
    },
    invocationThrottled: (fn) => lambda(fn, 'Throttles', 1),
    iteratorAge: (functionName, ageMs) =>
      recordOne('AWS/Lambda', 'IteratorAge', 'Milliseconds', [{ FunctionName: functionName }], ageMs),
    functionUrlResponded(fn, status) {
      lambda(fn, 'UrlRequestCount', 1);
      lambda(fn, 'Url5xxCount', Number(status !== null && status >= 500));
    },
    apiResponded({ name, stage }, { status, latencyMs }) {
      const sets: Dimensions[] = [{ ApiName: name }, { ApiName: name, Stage: stage }];
      const isBetween = (min: number, end: number) =>
        Number(status !== null && status >= min && status < end);
      recordOne('AWS/ApiGateway', 'Count', 'Count', sets, 1);
      recordOne('AWS/ApiGateway', '4XXError', 'Count', sets, isBetween(400, 500));
      recordOne('AWS/ApiGateway', '5XXError', 'Count', sets, isBetween(500, 600));
      recordOne('AWS/ApiGateway', 'Latency', 'Milliseconds', sets, latencyMs);
    },
    tableResponded({ tableNames, operation, latencyMs }) {
      const sets = tableNames.map((name) => ({ TableName: name, Operation: operation }));
      recordOne('AWS/DynamoDB', 'SuccessfulRequestLatency', 'Milliseconds', sets, latencyMs);
    },
    tableThrottled({ tableNames, isRead }) {
      const sets = tableNames.map((name) => ({ TableName: name }));
      recordOne('AWS/DynamoDB', isRead ? 'ReadThrottleEvents' : 'WriteThrottleEvents', 'Count', sets, 1);
    },
    queueSampled(queueName, { atMs, visibleMessages, hiddenMessages }) {
      const sets = [{ QueueName: queueName }];
      recordOne('AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Count', sets, visibleMessages, atMs);
      recordOne('AWS/SQS', 'ApproximateNumberOfMessagesNotVisible', 'Count', sets, hiddenMessages, atMs);
    },
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-view.html */
function functionDimensions({ functionName, qualifier }: InvokedFunction): Dimensions[] {
  const byFunction = { FunctionName: functionName };
  if (qualifier === undefined) return [byFunction];
  return [byFunction, { ...byFunction, Resource: `${functionName}:${qualifier}` }];
}
