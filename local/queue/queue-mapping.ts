/** The settings of an event source mapping that feeds a queue to a function. */
import type { Queue } from '../aws/queues.ts';
import type { EventSource } from '../event-source.ts';
import type { HostedFunction } from '../functions/function-host.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asList, asObject, asText, numberOr } from '../untyped-json.ts';

export interface QueueMapping {
  logicalId: string;
  queue: Queue;
  target: HostedFunction;
  batchSize: number;
  reportsBatchItemFailures: boolean;
  /** How many batches the function may have at once. */
  concurrency: number;
}

const knownProperties = new Set([
  'BatchSize',
  'Enabled',
  'EventSourceArn',
  'FunctionName',
  'FunctionResponseTypes',
  'ScalingConfig',
  'Tags',
]);

/** With how many Lambda begins. More would show nothing that these do not. */
const initialConcurrency = 5;

/** What one call of SQS gives; Lambda can collect more, within a batching window. */
const largestBatch = 10;

export function readQueueMapping(source: EventSource): QueueMapping {
  const { resource, properties, functions, aws } = source;
  const { logicalId } = resource;
  const unknown = Object.keys(properties).find((name) => !knownProperties.has(name));
  if (unknown !== undefined) {
    throw new LocalGatewayError(`${logicalId}: the local run does not know ${unknown} of a queue's mapping`);
  }
  const queueArn = asText(properties.EventSourceArn, `${logicalId}.EventSourceArn`);
  const queue = aws.queues.all.find(({ arn }) => arn === queueArn);
  if (queue === undefined) throw new LocalGatewayError(`${logicalId}: the stack has no queue ${queueArn}`);
  const scaling = asObject(properties.ScalingConfig ?? {}, `${logicalId}.ScalingConfig`);
  const maximum = numberOr(initialConcurrency, scaling.MaximumConcurrency, `${logicalId}.ScalingConfig`);
  return {
    logicalId,
    queue,
    target: functions.find(asText(properties.FunctionName, `${logicalId}.FunctionName`)),
    batchSize: Math.min(largestBatch, numberOr(largestBatch, properties.BatchSize, `${logicalId}.BatchSize`)),
    reportsBatchItemFailures: asList(properties.FunctionResponseTypes).includes('ReportBatchItemFailures'),
    concurrency: Math.min(maximum, initialConcurrency),
  };
}
