import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Price } from '#lambdas/pricing/price.ts';
import type { StoredLogEntry } from '../entry.ts';
import { shardOfLogId } from '../id.ts';
import { partitionOf, storedFromStreamImage } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, writtenAt } = logEntriesSchema;

export interface PriceChange {
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
  const gapsChange = price.pricing_gaps === null ? 'REMOVE pricing_gaps' : ', pricing_gaps = :gaps';
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id },
        UpdateExpression: `SET cost_usd = :cost, pricing = :pricing, pricing_version = :version, #written = :written ${gapsChange}`,
        ConditionExpression: '#written = :oldWritten AND pricing = :oldPricing AND cost_usd = :oldCost',
        ExpressionAttributeNames: { '#written': writtenAt },
        ExpressionAttributeValues: {
          ':cost': NumberValue.from(price.cost_usd),
          ':pricing': price.pricing,
          ':version': price.pricing_version,
          ...(price.pricing_gaps !== null && { ':gaps': price.pricing_gaps }),
          ':written': writtenAtMs,
          ':oldWritten': stored.writtenAtMs,
          ':oldPricing': pricing,
          ':oldCost': NumberValue.from(cost_usd),
        },
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
