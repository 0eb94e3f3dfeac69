import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unchanged, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { StoredLogEntry } from '../entry.ts';
import { shardOfLogId } from '../id.ts';
import { partitionOf, storedFromStreamImage } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, writtenAt } = logEntriesSchema;

interface PriceChange {
  stored: StoredLogEntry;
  price: Price;
  /** Must be later than `stored.writtenAtMs`. */
  writtenAtMs: number;
}

/** `current` is the entry that was changed in the meantime; `null` when it was deleted. */
export type PriceChangeResult = { isWritten: true } | { isWritten: false; current: StoredLogEntry | null };

/**
 * Changes the entry unless its price has changed since it was read. A retry after a lost response succeeds. The table's
 * stream passes the change on to the cost rollups.
 */
export async function changePrice(table: LogEntriesTable, change: PriceChange): Promise<PriceChangeResult> {
  const { stored, price, writtenAtMs } = change;
  const { organization_id, id, pricing, cost_usd } = stored.entry;
  const { pricing_gaps } = price;
  const changes = {
    set: {
      cost_usd: NumberValue.from(price.cost_usd),
      pricing: price.pricing,
      pricing_version: price.pricing_version,
      [writtenAt]: writtenAtMs,
      ...(pricing_gaps !== null && { pricing_gaps }),
    },
    remove: pricing_gaps === null ? ['pricing_gaps'] : [],
  };
  const read = { [writtenAt]: stored.writtenAtMs, pricing, cost_usd: NumberValue.from(cost_usd) };
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id },
        ...updateExpressions(changes, ...unchanged(read)),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { isWritten: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return toConflictResult(error, change);
  }
}

function toConflictResult(
  { Item }: ConditionalCheckFailedException,
  { price, writtenAtMs }: PriceChange,
): PriceChangeResult {
  if (Item === undefined) return { isWritten: false, current: null };
  const current = storedFromStreamImage(Item);
  const isSameChange = current.writtenAtMs === writtenAtMs && current.entry.cost_usd === price.cost_usd;
  return isSameChange ? { isWritten: true } : { isWritten: false, current };
}
