/**
 * Maps cost rollups to DynamoDB items.
 *
 * The partition key is `<organization>#<generation>#<dimension>#<period>#<write shard>`. The sort key of totals is
 * `<start>#<provider>/<tier>/<model>`, that of other dimensions `<start>#<value>#<provider>/<tier>/<model>`. Values and
 * tiers are written `<length>:<text>`, which makes keys unambiguous whatever they contain; a missing tier is empty. A
 * provider's name has no slash. An operation other than `unnamedOperation` is between provider and tier, with a slash; its
 * name cannot be taken for a tier, since it begins with no digit.
 */
import { type DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type Period, parsePeriodText, periodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { operations, unnamedOperation } from '#lambdas/request-log/operation.ts';
import { isBucketAttribute } from './histogram.ts';
import { type CostRollup, type Dimension, type RollupKey, totalsDimension } from './rollup.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';
import { amountNames, countNames, noTotals, type SumName, type Totals } from './totals.ts';

const { partitionKey, sortKey } = costRollupsSchema;

/** Shorter than the names of the sums, since a row costs a second write unit from 1 kB on. */
const shortAttributes: Partial<Record<SumName, string>> = {
  cached_input_tokens: 'cached',
  cache_write_input_tokens: 'cache_write',
  reasoning_tokens: 'reasoning',
  estimated_requests: 'est',
  estimated_cost_usd: 'est_usd',
  provider_error_requests: 'provider_errors',
  timeout_requests: 'timeouts',
  client_closed_requests: 'client_closed',
  interrupted_requests: 'interrupted',
  fallback_attempts: 'fallbacks',
};

export function sumAttribute(name: SumName): string {
  return shortAttributes[name] ?? name;
}

export interface CostRollupsTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export interface RollupPartition {
  organizationId: string;
  generation: number;
  dimension: Dimension;
  period: Period;
  writeShard: number;
}

export function partitionKeyOf({
  organizationId,
  generation,
  dimension,
  period,
  writeShard,
}: RollupPartition): string {
  return `${organizationId}#${generation}#${dimension}#${period}#${writeShard}`;
}

export function itemKey(generation: number, key: RollupKey): ItemKey {
  return { [partitionKey]: partitionKeyOf({ ...key, generation }), [sortKey]: sortKeyOf(key) };
}

export function sortKeyOf({
  periodStart,
  value,
  provider,
  operation,
  serviceTier,
  model,
}: RollupKey): string {
  const valuePart = value === null ? '' : `${withLength(value)}#`;
  const operationPart = operation === unnamedOperation ? '' : `${operation}/`;
  const tier = serviceTier === null ? '' : withLength(serviceTier);
  return `${periodStart}#${valuePart}${provider}/${operationPart}${tier}/${model}`;
}

function withLength(text: string): string {
  return `${text.length}:${text}`;
}

/** The window must consist of whole periods. */
export function rowQuery(table: CostRollupsTable, partition: RollupPartition, window: TimeWindow) {
  // Excludes rows at `end`: their sort keys continue after the period's start and so sort after `end`.
  return rangeQuery(
    table,
    partition,
    periodText(partition.period, window.startMs),
    periodText(partition.period, window.endMs),
  );
}

/** The rows of one value in the period that begins at this time. */
export function valueRowQuery(
  table: CostRollupsTable,
  partition: RollupPartition,
  startMs: number,
  value: string,
) {
  return valueRangeRowQuery(table, partition, startMs, { first: value, last: value });
}

/** The rows of all values from the first to the last one in the period that begins at this time. The values are equally long. */
export function valueRangeRowQuery(
  table: CostRollupsTable,
  partition: RollupPartition,
  startMs: number,
  { first, last }: { first: string; last: string },
) {
  const start = periodText(partition.period, startMs);
  // `$` is the character after `#`.
  return rangeQuery(table, partition, `${start}#${withLength(first)}#`, `${start}#${withLength(last)}$`);
}

/** For a query that needs only these sums: most of a row's size are histograms. */
export function sumProjection(names: readonly SumName[]) {
  const attributes = [sortKey, ...names.map(sumAttribute)];
  return {
    ProjectionExpression: attributes.map((_, index) => `#${index}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#${index}`, name])),
  };
}

function rangeQuery({ tableName }: CostRollupsTable, partition: RollupPartition, start: string, end: string) {
  return {
    TableName: tableName,
    // Guarantees that the second of two reads never returns less than the first.
    ConsistentRead: true,
    KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} BETWEEN :start AND :end`,
    ExpressionAttributeValues: {
      ':partition': partitionKeyOf(partition),
      ':start': start,
      ':end': end,
    },
  };
}

export function rollupFromItem(dimension: Dimension, item: Item): CostRollup {
  return {
    ...parseSortKey(dimension, String(item[sortKey])),
    totals: totalsFromItem(item),
  };
}

/** Ignores other attributes, such as watermarks. */
function totalsFromItem(item: Item): Totals {
  const histograms: Record<string, number> = {};
  for (const name in item) {
    const count = isBucketAttribute(name) ? Number(item[name]) : 0;
    if (count !== 0) histograms[name] = count;
  }
  const totals = { ...noTotals, histograms };
  for (const name of countNames) totals[name] = Number(item[sumAttribute(name)] ?? 0);
  for (const name of amountNames) totals[name] = String(item[sumAttribute(name)] ?? '0');
  return totals;
}

function parseSortKey(dimension: Dimension, text: string): Omit<CostRollup, 'totals'> {
  const [periodStart, names] = splitAt(text, '#');
  const startMs = parsePeriodText(periodStart);
  if (dimension === totalsDimension) return { startMs, value: null, ...parseModel(names) };
  const [value, modelNames] = splitByLength(names);
  return { startMs, value, ...parseModel(modelNames) };
}

function parseModel(text: string): Omit<CostRollup, 'startMs' | 'value' | 'totals'> {
  const [provider, names] = splitAt(text, '/');
  const [first, others] = splitAt(names, '/');
  const named = operations.find((operation) => operation === first);
  const rest = named === undefined ? names : others;
  const operation = named ?? unnamedOperation;
  if (rest.startsWith('/')) return { provider, operation, serviceTier: null, model: rest.slice(1) };
  const [serviceTier, model] = splitByLength(rest);
  return { provider, operation, serviceTier, model };
}

/** Splits `<length>:<text><separator><rest>` into text and rest. */
function splitByLength(text: string): [string, string] {
  const [length, rest] = splitAt(text, ':');
  const end = Number(length);
  return [rest.slice(0, end), rest.slice(end + 1)];
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return [text.slice(0, index), text.slice(index + 1)];
}

/** Values to add to the attributes of a row, which they create. Leaves out zeros, which the row need not store. */
export function totalsAdditions(totals: Totals): Record<string, number | NumberValue> {
  const values = Object.entries<number | NumberValue>({
    ...Object.fromEntries(countNames.map((name) => [sumAttribute(name), totals[name]])),
    ...Object.fromEntries(amountNames.map((name) => [sumAttribute(name), NumberValue.from(totals[name])])),
    ...totals.histograms,
    // `requests` stays, since `ADD` needs at least one attribute.
  }).filter(([name, value]) => name === 'requests' || Number(value) !== 0);
  return Object.fromEntries(values);
}
