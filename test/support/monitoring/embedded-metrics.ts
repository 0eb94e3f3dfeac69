/**
 * Reads the metrics in a log line, as CloudWatch Logs does:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * CloudWatch ignores a line that violates the specification. Here, that is an error.
 */
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '#local/untyped-json.ts';
import type { Measurement } from './metric-store.ts';

const sizes = [
  'Bytes',
  'Kilobytes',
  'Megabytes',
  'Gigabytes',
  'Terabytes',
  'Bits',
  'Kilobits',
  'Megabits',
  'Gigabits',
  'Terabits',
];
const rates = ['Count', ...sizes].map((unit) => `${unit}/Second`);

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html */
const units = new Set([
  'None',
  'Count',
  'Percent',
  'Seconds',
  'Microseconds',
  'Milliseconds',
  ...sizes,
  ...rates,
]);

const limits = {
  lineBytes: 1024 * 1024,
  metrics: 100,
  dimensions: 30,
  values: 100,
  nameLength: 255,
  dimensionValueLength: 1024,
};

const members = {
  metadata: ['Timestamp', 'CloudWatchMetrics'],
  directive: ['Namespace', 'Dimensions', 'Metrics'],
  metric: ['Name', 'Unit', 'StorageResolution'],
};

/** Returns no measurements for a line without embedded metrics. Throws a `LocalGatewayError` when they are invalid. */
export function readEmbeddedMetrics(line: string): Measurement[] {
  if (!line.includes('"_aws"')) return [];
  const root = parseJson(line);
  if (!isObject(root) || root._aws === undefined) return [];
  if (Buffer.byteLength(line) > limits.lineBytes) fail('the line is larger than 1 MB');
  const metadata = objectWith(members.metadata, root._aws, '_aws');
  const { Timestamp: atMs } = metadata;
  if (!Number.isSafeInteger(atMs)) fail('_aws.Timestamp must be milliseconds since 1970, as an integer');
  return asArray(metadata.CloudWatchMetrics, '_aws.CloudWatchMetrics').flatMap((value, index) =>
    readDirective(value, { root, atMs: Number(atMs), where: `CloudWatchMetrics[${index}]` }),
  );
}

interface Source {
  root: JsonObject;
  atMs: number;
  where: string;
}

function readDirective(value: unknown, source: Source): Measurement[] {
  const { root, atMs, where } = source;
  const directive = objectWith(members.directive, value, where);
  const namespace = nameAt(directive.Namespace, `${where}.Namespace`);
  const dimensionSets = asArray(directive.Dimensions, `${where}.Dimensions`).map((set) =>
    readDimensions(set, root, `${where}.Dimensions`),
  );
  if (dimensionSets.length === 0) fail(`${where}.Dimensions must not be empty`);
  const metrics = asArray(directive.Metrics, `${where}.Metrics`);
  if (metrics.length > limits.metrics) fail(`${where}.Metrics has more than ${limits.metrics} metrics`);
  return metrics.flatMap((metric) => {
    const { name, unit } = readDefinition(metric, `${where}.Metrics`);
    const values = readValues(root[name], name);
    return dimensionSets.map((dimensions) => ({
      metric: { namespace, name, dimensions },
      unit,
      values,
      atMs,
    }));
  });
}

function readDimensions(value: unknown, root: JsonObject, where: string): Record<string, string> {
  const names = asArray(value, where).map((name) => nameAt(name, where));
  if (names.length > limits.dimensions) fail(`${where} has more than ${limits.dimensions} dimensions`);
  return Object.fromEntries(
    names.map((name) => {
      const target = asString(root[name], `The dimension ${name}`);
      if (target === '' || target.length > limits.dimensionValueLength)
        fail(`the dimension ${name} must have 1 to ${limits.dimensionValueLength} characters`);
      return [name, target];
    }),
  );
}

function readDefinition(value: unknown, where: string): { name: string; unit: string } {
  const { Name, Unit = 'None', StorageResolution = 60 } = objectWith(members.metric, value, where, ['Name']);
  const name = nameAt(Name, `${where}.Name`);
  const unit = asString(Unit, `${where}.Unit`);
  if (!units.has(unit)) fail(`${where}: ${unit} is not a unit of CloudWatch`);
  if (StorageResolution !== 1 && StorageResolution !== 60) fail(`${where}.StorageResolution must be 1 or 60`);
  return { name, unit };
}

function readValues(target: unknown, name: string): number[] {
  const values = Array.isArray(target) ? target : [target];
  if (values.length === 0 || values.length > limits.values)
    fail(`the metric ${name} must have 1 to ${limits.values} values`);
  return values.map((value) => {
    if (typeof value !== 'number') fail(`the metric ${name} must be a number or an array of numbers`);
    return Number(value);
  });
}

/** All members are required by default, and no others are allowed. */
function objectWith(
  allowed: readonly string[],
  value: unknown,
  where: string,
  required = allowed,
): JsonObject {
  const object = asObject(value, where);
  const missing = required.find((name) => object[name] === undefined);
  if (missing !== undefined) fail(`${where}.${missing} is missing`);
  const unknown = Object.keys(object).find((name) => !allowed.includes(name));
  if (unknown !== undefined) fail(`${where}.${unknown} is not a member of the format`);
  return object;
}

function nameAt(value: unknown, where: string): string {
  const name = asString(value, where);
  if (name === '' || name.length > limits.nameLength)
    fail(`${where} must have 1 to ${limits.nameLength} characters`);
  return name;
}

function fail(reason: string): never {
  throw new LocalGatewayError(`Invalid embedded metrics: ${reason}`);
}
