import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import type { Resource } from '#local/template/template.ts';
import { asObject, asString, type JsonObject, numberOr, optionalString } from '#local/untyped-json.ts';
import type { EventFilter } from '../event-pattern.ts';
import { readFilterCriteria } from './filter-criteria.ts';

export interface StreamMapping {
  logicalId: string;
  streamArn: string;
  functionName: string;
  filter: EventFilter;
  batchSize: number;
  batchingWindowMs: number;
  /** 0 when the mapping has no tumbling window. */
  tumblingWindowMs: number;
  bisectsBatch: boolean;
  /** `Infinity` when unlimited, like `maxRecordAgeMs`. */
  maxRetryAttempts: number;
  maxRecordAgeMs: number;
  onFailureQueueArn: string | undefined;
}

const supportedProperties = [
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
  'TumblingWindowInSeconds',
];

/** `properties` are the properties of the resource with all intrinsic functions resolved. */
export function readStreamMapping({ logicalId }: Resource, properties: JsonObject): StreamMapping {
  const number = (name: string, defaultValue: number) =>
    numberOr(defaultValue, properties[name], `${logicalId}.${name}`);
  assertSupportedProperties(properties, supportedProperties, logicalId);
  if (properties.StartingPosition !== 'TRIM_HORIZON') {
    throw new LocalGatewayError(
      `${logicalId}: the local run supports only the StartingPosition TRIM_HORIZON`,
    );
  }
  if (number('ParallelizationFactor', 1) !== 1) {
    throw new LocalGatewayError(`${logicalId}: the local run supports only a ParallelizationFactor of 1`);
  }
  return {
    logicalId,
    streamArn: asString(properties.EventSourceArn, `${logicalId}.EventSourceArn`),
    functionName: asString(properties.FunctionName, `${logicalId}.FunctionName`),
    filter: readFilterCriteria(properties.FilterCriteria, `${logicalId}.FilterCriteria`),
    batchSize: number('BatchSize', 100),
    batchingWindowMs: number('MaximumBatchingWindowInSeconds', 0) * 1000,
    tumblingWindowMs: number('TumblingWindowInSeconds', 0) * 1000,
    bisectsBatch: properties.BisectBatchOnFunctionError === true,
    maxRetryAttempts: unlimitedIfNegative(number('MaximumRetryAttempts', -1)),
    maxRecordAgeMs: unlimitedIfNegative(number('MaximumRecordAgeInSeconds', -1) * 1000),
    onFailureQueueArn: readDestination(properties.DestinationConfig, `${logicalId}.DestinationConfig`),
  };
}

function readDestination(config: unknown, where: string): string | undefined {
  const onFailure = asObject(asObject(config ?? {}, where).OnFailure ?? {}, `${where}.OnFailure`);
  const arn = optionalString(onFailure.Destination, `${where}.OnFailure.Destination`);
  if (arn !== undefined && !arn.startsWith('arn:aws:sqs:')) {
    throw new LocalGatewayError(
      `${where}.OnFailure.Destination: the local run supports only SQS queues, not ${arn}`,
    );
  }
  return arn;
}

function unlimitedIfNegative(value: number): number {
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}
