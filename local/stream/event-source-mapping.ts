/** The settings of an event source mapping that feeds a table's stream to a function. */
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Resource } from '../template/template.ts';
import {
  asArray,
  asList,
  asObject,
  asText,
  isObject,
  type JsonObject,
  numberOr,
  optionalText,
  parseJson,
} from '../untyped-json.ts';

export interface EventSourceMapping {
  logicalId: string;
  streamArn: string;
  /** A function's name, or its ARN with or without a qualifier. */
  functionName: string;
  startingPosition: 'TRIM_HORIZON' | 'LATEST';
  accepts: EventFilter;
  batchSize: number;
  batchingWindowMs: number;
  /** 0 for none. */
  tumblingWindowMs: number;
  bisectsBatch: boolean;
  reportsBatchItemFailures: boolean;
  /** `Infinity` for no limit. */
  maximumRetryAttempts: number;
  maximumRecordAgeMs: number;
  /** The ARN of the queue that is told of discarded batches. */
  onFailureQueueArn: string | undefined;
}

const knownProperties = new Set([
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

/** `properties` are the resource's, resolved. */
export function readEventSourceMapping({ logicalId }: Resource, properties: JsonObject): EventSourceMapping {
  const number = (name: string, defaultValue: number) =>
    numberOr(defaultValue, properties[name], `${logicalId}.${name}`);
  refuseUnsupported(logicalId, properties);
  return {
    logicalId,
    streamArn: asText(properties.EventSourceArn, `${logicalId}.EventSourceArn`),
    functionName: asText(properties.FunctionName, `${logicalId}.FunctionName`),
    startingPosition: readStartingPosition(properties.StartingPosition, logicalId),
    accepts: readFilterCriteria(properties.FilterCriteria, `${logicalId}.FilterCriteria`),
    batchSize: number('BatchSize', 100),
    batchingWindowMs: number('MaximumBatchingWindowInSeconds', 0) * 1000,
    tumblingWindowMs: number('TumblingWindowInSeconds', 0) * 1000,
    bisectsBatch: properties.BisectBatchOnFunctionError === true,
    reportsBatchItemFailures: asList(properties.FunctionResponseTypes).includes('ReportBatchItemFailures'),
    maximumRetryAttempts: unlimitedIfNegative(number('MaximumRetryAttempts', -1)),
    maximumRecordAgeMs: unlimitedIfNegative(number('MaximumRecordAgeInSeconds', -1) * 1000),
    onFailureQueueArn: readDestination(properties.DestinationConfig, logicalId),
  };
}

function refuseUnsupported(logicalId: string, properties: JsonObject): void {
  const unknown = Object.keys(properties).find((name) => !knownProperties.has(name));
  if (unknown !== undefined)
    throw new LocalGatewayError(`${logicalId}: the local run does not know ${unknown}`);
  if (numberOr(1, properties.ParallelizationFactor, logicalId) !== 1) {
    throw new LocalGatewayError(`${logicalId}: the local run has a ParallelizationFactor of 1 only`);
  }
}

function readStartingPosition(value: unknown, logicalId: string): 'TRIM_HORIZON' | 'LATEST' {
  if (value === 'TRIM_HORIZON' || value === 'LATEST') return value;
  throw new LocalGatewayError(`${logicalId}: StartingPosition must be TRIM_HORIZON or LATEST`);
}

function readDestination(config: unknown, logicalId: string): string | undefined {
  const onFailure = asObject(asObject(config ?? {}, logicalId).OnFailure ?? {}, `${logicalId}.OnFailure`);
  const arn = optionalText(onFailure.Destination, `${logicalId}.OnFailure.Destination`);
  if (arn !== undefined && !arn.startsWith('arn:aws:sqs:')) {
    throw new LocalGatewayError(
      `${logicalId}: the local run knows SQS queues as OnFailure destination, not ${arn}`,
    );
  }
  return arn;
}

/** -1 stands for "no limit". */
function unlimitedIfNegative(value: number): number {
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}

export type EventFilter = (event: unknown) => boolean;

/** Of an event source mapping's `FilterCriteria`: an event passes that matches any of the patterns. */
export function readFilterCriteria(criteria: unknown, where: string): EventFilter {
  if (criteria === undefined) return () => true;
  const filters = asArray(asObject(criteria, where).Filters ?? [], `${where}.Filters`);
  const patterns = filters.map((filter) => {
    const pattern = parseJson(asText(asObject(filter, where).Pattern, `${where}.Pattern`));
    return compile(pattern, where);
  });
  return (event) => patterns.length === 0 || patterns.some((pattern) => pattern(event));
}

function compile(pattern: unknown, where: string): EventFilter {
  if (Array.isArray(pattern)) return compileLiterals(pattern, where);
  if (!isObject(pattern))
    throw new LocalGatewayError(`${where}: a filter pattern must be an object or a list`);
  const fields = Object.entries(pattern).map(
    ([name, nested]) => [name, compile(nested, `${where}.${name}`)] as const,
  );
  return (event) => fields.every(([name, filter]) => filter(isObject(event) ? event[name] : undefined));
}

function compileLiterals(literals: unknown[], where: string): EventFilter {
  for (const literal of literals) {
    if (typeof literal !== 'object' || literal === null) continue;
    throw new LocalGatewayError(
      `${where}: the local run knows filter patterns of literals only, not ${JSON.stringify(literal)}`,
    );
  }
  return (value) => literals.includes(value);
}
