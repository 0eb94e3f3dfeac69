/** Gives an entry another price. The table's stream brings the difference to the rollups. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntry, StoredLogEntry } from '../entry.ts';
import { shardOfLogId } from '../id.ts';
import { partitionOf, storedFromStreamImage } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, writtenAt } = logEntriesSchema;

export interface PriceChange {
  /** As it was read. */
  stored: StoredLogEntry;
  price: Pick<LogEntry, 'cost_usd' | 'pricing' | 'pricing_version'>;
  /** Later than the write that was read. */
  writtenAtMs: number;
}

/** When it was not written, `current` is the entry as it is now; `null` when there is none any more. */
export type PriceChangeResult = { isWritten: true } | { isWritten: false; current: StoredLogEntry | null };

/**
 * Changes the entry if it is still priced as it was read. A change whose answer was lost, and which is tried again
 * for that reason, is found to be written.
 */
export async function changePrice(table: LogEntriesTable, change: PriceChange): Promise<PriceChangeResult> {
  const { stored, price, writtenAtMs } = change;
  const { organization_id, id, pricing, cost_usd } = stored.entry;
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id },
        UpdateExpression:
          'SET cost_usd = :cost, pricing = :pricing, pricing_version = :version, #written = :written',
        ConditionExpression: '#written = :wasWritten AND pricing = :wasPricing AND cost_usd = :wasCost',
        ExpressionAttributeNames: { '#written': writtenAt },
        ExpressionAttributeValues: {
          ':cost': NumberValue.from(price.cost_usd),
          ':pricing': price.pricing,
          ':version': price.pricing_version,
          ':written': writtenAtMs,
          ':wasWritten': stored.writtenAtMs,
          ':wasPricing': pricing,
          ':wasCost': NumberValue.from(cost_usd),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { isWritten: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return readRefusal(error, change);
  }
}

function readRefusal(
  { Item }: ConditionalCheckFailedException,
  { price, writtenAtMs }: PriceChange,
): PriceChangeResult {
  if (Item === undefined) return { isWritten: false, current: null };
  const current = storedFromStreamImage(Item);
  const isOurs = current.writtenAtMs === writtenAtMs && current.entry.cost_usd === price.cost_usd;
  return isOurs ? { isWritten: true } : { isWritten: false, current };
}
