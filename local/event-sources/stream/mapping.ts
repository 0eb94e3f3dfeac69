import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { Resource } from '#local/template/template.ts';
import {
  asArray,
  asList,
  asObject,
  asString,
  isObject,
  type JsonObject,
  numberOr,
  optionalString,
  parseJson,
} from '#local/untyped-json.ts';

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

export type EventFilter = (event: unknown) => boolean;

/** Compiles `FilterCriteria`: an event passes when it matches any of the patterns. */
export function readFilterCriteria(criteria: unknown, where: string): EventFilter {
  if (criteria === undefined) return () => true;
  const filters = asArray(asObject(criteria, where).Filters ?? [], `${where}.Filters`);
  const patterns = filters.map((filter) => {
    const pattern = parseJson(asString(asObject(filter, where).Pattern, `${where}.Pattern`));
    return compile(pattern, where);
  });
  return (event) => patterns.length === 0 || patterns.some((pattern) => pattern(event));
}

function compile(pattern: unknown, where: string): EventFilter {
  if (Array.isArray(pattern)) return compileLiterals(pattern, where);
  if (!isObject(pattern))
    throw new LocalGatewayError(`${where}: a filter pattern must be an object or an array`);
  const fields = Object.entries(pattern).map(
    ([name, nested]) => [name, compile(nested, `${where}.${name}`)] as const,
  );
  return (event) => fields.every(([name, filter]) => filter(isObject(event) ? event[name] : undefined));
}

function compileLiterals(literals: unknown[], where: string): EventFilter {
  for (const literal of literals) {
    if (typeof literal !== 'object' || literal === null) continue;
    throw new LocalGatewayError(
      `${where}: the local run supports only literals in filter patterns, not ${JSON.stringify(literal)}`,
    );
  }
  return (value) => literals.includes(value);
}
