import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { Resource } from '#local/template/template.ts';
import {
  asList,
  asObject,
  asString,
  type JsonObject,
  numberOr,
  optionalString,
} from '#local/untyped-json.ts';
import type { EventFilter } from '../event-pattern.ts';
import { readFilterCriteria } from './filter-criteria.ts';

export interface EventSourceMapping {
  logicalId: string;
  streamArn: string;
  functionName: string;
  startingPosition: 'TRIM_HORIZON' | 'LATEST';
  filter: EventFilter;
  batchSize: number;
  batchingWindowMs: number;
  /** 0 when the mapping has no tumbling window. */
  tumblingWindowMs: number;
  bisectsBatch: boolean;
  reportsBatchItemFailures: boolean;
  /** `Infinity` when unlimited, like `maxRecordAgeMs`. */
  maxRetryAttempts: number;
  maxRecordAgeMs: number;
  onFailureQueueArn: string | undefined;
}

const supportedProperties = new Set([
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
  'TumblingWindowInSeconds',
]);

/** `properties` are the properties of the resource with all intrinsic functions resolved. */
export function readEventSourceMapping({ logicalId }: Resource, properties: JsonObject): EventSourceMapping {
  const number = (name: string, defaultValue: number) =>
    numberOr(defaultValue, properties[name], `${logicalId}.${name}`);
  assertSupported(logicalId, properties);
  return {
    logicalId,
    streamArn: asString(properties.EventSourceArn, `${logicalId}.EventSourceArn`),
    functionName: asString(properties.FunctionName, `${logicalId}.FunctionName`),
    startingPosition: readStartingPosition(properties.StartingPosition, logicalId),
    filter: readFilterCriteria(properties.FilterCriteria, `${logicalId}.FilterCriteria`),
    batchSize: number('BatchSize', 100),
    batchingWindowMs: number('MaximumBatchingWindowInSeconds', 0) * 1000,
    tumblingWindowMs: number('TumblingWindowInSeconds', 0) * 1000,
    bisectsBatch: properties.BisectBatchOnFunctionError === true,
    reportsBatchItemFailures: asList(properties.FunctionResponseTypes).includes('ReportBatchItemFailures'),
    maxRetryAttempts: unlimitedIfNegative(number('MaximumRetryAttempts', -1)),
    maxRecordAgeMs: unlimitedIfNegative(number('MaximumRecordAgeInSeconds', -1) * 1000),
    onFailureQueueArn: readDestination(properties.DestinationConfig, logicalId),
  };
}

function assertSupported(logicalId: string, properties: JsonObject): void {
  const unknown = Object.keys(properties).find((name) => !supportedProperties.has(name));
  if (unknown !== undefined)
    throw new LocalGatewayError(`${logicalId}: the local run does not support ${unknown}`);
  if (numberOr(1, properties.ParallelizationFactor, logicalId) !== 1) {
    throw new LocalGatewayError(`${logicalId}: the local run supports only a ParallelizationFactor of 1`);
  }
}

function readStartingPosition(value: unknown, logicalId: string): 'TRIM_HORIZON' | 'LATEST' {
  if (value === 'TRIM_HORIZON' || value === 'LATEST') return value;
  throw new LocalGatewayError(`${logicalId}: StartingPosition must be TRIM_HORIZON or LATEST`);
}

function readDestination(config: unknown, logicalId: string): string | undefined {
  const onFailure = asObject(asObject(config ?? {}, logicalId).OnFailure ?? {}, `${logicalId}.OnFailure`);
  const arn = optionalString(onFailure.Destination, `${logicalId}.OnFailure.Destination`);
  if (arn !== undefined && !arn.startsWith('arn:aws:sqs:')) {
    throw new LocalGatewayError(
      `${logicalId}: the local run supports only SQS queues as OnFailure destination, not ${arn}`,
    );
  }
  return arn;
}

function unlimitedIfNegative(value: number): number {
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}
