import type { Queue } from '#local/aws/sqs/queues.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import { asList, asObject, asString, numberOr } from '#local/untyped-json.ts';
import type { EventSource } from '../event-source.ts';

export interface QueueMapping {
  logicalId: string;
  queue: Queue;
  target: HostedFunction;
  batchSize: number;
  reportsBatchItemFailures: boolean;
  maxConcurrentBatches: number;
}

const supportedProperties = [
  'BatchSize',
  'Enabled',
  'EventSourceArn',
  'FunctionName',
  'FunctionResponseTypes',
  'ScalingConfig',
  'Tags',
];

/** Number of concurrent batches with which Lambda starts; the local run does not scale beyond it. */
const initialConcurrency = 5;

/** Maximum of one ReceiveMessage call. Larger batches require a batching window, which is not emulated. */
const maxBatchSize = 10;

export function readQueueMapping(source: EventSource): QueueMapping {
  const { resource, properties, functions, aws } = source;
  const { logicalId } = resource;
  assertSupportedProperties(properties, supportedProperties, logicalId);
  const queueArn = asString(properties.EventSourceArn, `${logicalId}.EventSourceArn`);
  const queue = aws.queues.all.find(({ arn }) => arn === queueArn);
  if (queue === undefined) throw new LocalGatewayError(`${logicalId}: the stack has no queue ${queueArn}`);
  const scaling = asObject(properties.ScalingConfig ?? {}, `${logicalId}.ScalingConfig`);
  const maximum = numberOr(
    initialConcurrency,
    scaling.MaximumConcurrency,
    `${logicalId}.ScalingConfig.MaximumConcurrency`,
  );
  return {
    logicalId,
    queue,
    target: functions.find(asString(properties.FunctionName, `${logicalId}.FunctionName`)),
    batchSize: Math.min(maxBatchSize, numberOr(maxBatchSize, properties.BatchSize, `${logicalId}.BatchSize`)),
    reportsBatchItemFailures: asList(properties.FunctionResponseTypes).includes('ReportBatchItemFailures'),
    maxConcurrentBatches: Math.min(maximum, initialConcurrency),
  };
}
