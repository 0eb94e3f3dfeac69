/**
 * Which records of the stream the rollup function has set aside, since it could not read them: an item for each.
 *
 * What was set aside once stays so, though another version of the function may meet the record again and be able to read
 * it: that its sums lack the record, and that `rollups replay` is to add it, is decided here and nowhere else. The same
 * item says when that was done.
 */
import { GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SetAsideRecords } from '../domain/rollup.ts';
import { forEachAtOnce } from '../domain/work-pool.ts';
import type { CostRollupsTable } from './cost-rollup-item.ts';
import { sortableNumber } from './rollup-watermark.ts';

export interface RecordName {
  shardId: string;
  sequenceNumber: string;
}

/** As many connections as the AWS SDK keeps. */
const itemsAtOnce = 50;

const daySeconds = 86_400;
/** A queue keeps a message for 14 days, and the stream may bring the record again, and with it the message, for one. */
const keptDays = 16;

export function setAsideKey({ shardId, sequenceNumber }: RecordName): { pk: string; sk: string } {
  return { pk: `set-aside#${shardId}`, sk: sortableNumber(sequenceNumber) };
}

export function setAsideExpiry(now: Date): number {
  return Math.floor(now.getTime() / 1000) + keptDays * daySeconds;
}

export function createSetAsideRecords(table: CostRollupsTable, now: () => Date): SetAsideRecords {
  const { client, tableName: TableName } = table;
  return {
    async find(shardId, { first, last }) {
      const { pk, sk: from } = setAsideKey({ shardId, sequenceNumber: first });
      const { sk: to } = setAsideKey({ shardId, sequenceNumber: last });
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ProjectionExpression: 'sk',
          ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
        },
      );
      const found = new Set<string>();
      for await (const { Items = [] } of pages)
        for (const { sk } of Items) found.add(String(sk).slice('00'.length));
      return found;
    },
    add: (shardId, sequenceNumbers) =>
      forEachAtOnce(sequenceNumbers, itemsAtOnce, async (sequenceNumber) => {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: setAsideKey({ shardId, sequenceNumber }),
            UpdateExpression: 'SET expires_at = if_not_exists(expires_at, :expiry)',
            ExpressionAttributeValues: { ':expiry': setAsideExpiry(now()) },
          }),
        );
      }),
  };
}

/** Whether `rollups replay` has added the record. Strongly consistent. */
export async function isReplayed(
  { client, tableName }: CostRollupsTable,
  name: RecordName,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: setAsideKey(name), ConsistentRead: true }),
  );
  return Item?.replayed_ms !== undefined;
}
