/**
 * Maps cost rollups to DynamoDB items.
 *
 * The partition key is `<organization>#<generation>#<dimension>#<period>#<write shard>`. The sort key of totals is
 * `<start>#<provider>/<model>`, that of other dimensions `<start>#<length of the value>:<value>#<provider>/<model>`: the
 * length makes keys unambiguous whatever the value contains. A provider's name has no slash.
 */
import { type DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type Period, parsePeriodText, periodText } from './period.ts';
import { type CostRollup, type Dimension, type RollupKey, totalsDimension } from './rollup.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';
import type { Totals } from './totals.ts';

const { partitionKey, sortKey } = costRollupsSchema;

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

export function sortKeyOf({ periodStart, value, provider, model }: RollupKey): string {
  const group = value === null ? '' : `${value.length}:${value}#`;
  return `${periodStart}#${group}${provider}/${model}`;
}

/** The window must consist of whole periods. */
export function rowQuery({ tableName }: CostRollupsTable, partition: RollupPartition, window: TimeWindow) {
  return {
    TableName: tableName,
    // Guarantees that the second of two reads never returns less than the first.
    ConsistentRead: true,
    // Excludes rows at `end`: their sort keys continue after the period's start and so sort after `end`.
    KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} BETWEEN :start AND :end`,
    // Without watermarks, which may be larger than the sums.
    ProjectionExpression: `${sortKey}, requests, cost_usd, input_tokens, output_tokens, unpriced_requests`,
    ExpressionAttributeValues: {
      ':partition': partitionKeyOf(partition),
      ':start': periodText(partition.period, window.startMs),
      ':end': periodText(partition.period, window.endMs),
    },
  };
}

export function rollupFromItem(dimension: Dimension, item: Record<string, unknown>): CostRollup {
  return {
    ...parseSortKey(dimension, String(item[sortKey])),
    totals: {
      requests: Number(item.requests),
      cost_usd: String(item.cost_usd),
      input_tokens: Number(item.input_tokens),
      output_tokens: Number(item.output_tokens),
      unpriced_requests: Number(item.unpriced_requests),
    },
  };
}

function parseSortKey(dimension: Dimension, text: string): Omit<CostRollup, 'totals'> {
  const [periodStart, group] = splitAt(text, '#');
  const startMs = parsePeriodText(periodStart);
  if (dimension === totalsDimension) return { startMs, value: null, ...parseModel(group) };
  const [length, rest] = splitAt(group, ':');
  const value = rest.slice(0, Number(length));
  return { startMs, value, ...parseModel(rest.slice(value.length + 1)) };
}

function parseModel(text: string): { provider: string; model: string } {
  const [provider, model] = splitAt(text, '/');
  return { provider, model };
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return [text.slice(0, index), text.slice(index + 1)];
}

/** Creates the row if it does not exist. */
export const addSumsExpression =
  'ADD requests :requests, cost_usd :cost, input_tokens :input, output_tokens :output, unpriced_requests :unpriced';

export function sumValues(totals: Totals) {
  return {
    ':requests': totals.requests,
    ':cost': NumberValue.from(totals.cost_usd),
    ':input': totals.input_tokens,
    ':output': totals.output_tokens,
    ':unpriced': totals.unpriced_requests,
  };
}
