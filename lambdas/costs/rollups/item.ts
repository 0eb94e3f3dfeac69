/**
 * A cost rollup as a DynamoDB item.
 *
 * The key says all but the sums. It is `<organization>#<generation>#<dimension>#<period>#<write shard>` and
 * `<start>#<provider>/<model>`, where a dimension other than that of the totals has its value in between, behind the value's
 * length: so no value can look like the end of one and the beginning of another. A provider's name has no slash.
 */
import { type DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type Period, periodText, startOfPeriodText } from './period.ts';
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

export function partitionOf({
  organizationId,
  generation,
  dimension,
  period,
  writeShard,
}: RollupPartition): string {
  return `${organizationId}#${generation}#${dimension}#${period}#${writeShard}`;
}

export function itemKey(generation: number, key: RollupKey): ItemKey {
  return { [partitionKey]: partitionOf({ ...key, generation }), [sortKey]: sortKeyOf(key) };
}

export function sortKeyOf({ periodStart, value, provider, model }: RollupKey): string {
  const group = value === null ? '' : `${value.length}:${value}#`;
  return `${periodStart}#${group}${provider}/${model}`;
}

/** The query for the rows of a partition in a window of whole periods. */
export function rowQuery({ tableName }: CostRollupsTable, partition: RollupPartition, window: TimeWindow) {
  return {
    TableName: tableName,
    // Consistent, so that of two reads one after the other the second one never shows less than the first.
    ConsistentRead: true,
    // A row's sort key goes on after its period's start, so the row at `end` sorts behind `end` itself.
    KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} BETWEEN :start AND :end`,
    // Watermarks may be larger than the sums, and readers do not need them.
    ProjectionExpression: `${sortKey}, requests, cost_usd, input_tokens, output_tokens, unpriced_requests`,
    ExpressionAttributeValues: {
      ':partition': partitionOf(partition),
      ':start': periodText(partition.period, window.startMs),
      ':end': periodText(partition.period, window.endMs),
    },
  };
}

export function rollupFromItem(dimension: Dimension, item: Record<string, unknown>): CostRollup {
  return {
    ...readSortKey(dimension, String(item[sortKey])),
    totals: {
      requests: Number(item.requests),
      cost_usd: String(item.cost_usd),
      input_tokens: Number(item.input_tokens),
      output_tokens: Number(item.output_tokens),
      unpriced_requests: Number(item.unpriced_requests),
    },
  };
}

function readSortKey(dimension: Dimension, text: string): Omit<CostRollup, 'totals'> {
  const [periodStart, group] = cutAt(text, '#');
  const startMs = startOfPeriodText(periodStart);
  if (dimension === totalsDimension) return { startMs, value: null, ...readModel(group) };
  const [length, rest] = cutAt(group, ':');
  const value = rest.slice(0, Number(length));
  return { startMs, value, ...readModel(rest.slice(value.length + 1)) };
}

function readModel(text: string): { provider: string; model: string } {
  const [provider, model] = cutAt(text, '/');
  return { provider, model };
}

function cutAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** An update that adds sums to a row, and creates the row if it does not exist. */
export const addSums =
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
