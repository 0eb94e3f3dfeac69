/** The time before which every request has been recovered: nothing is missing that was received earlier. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { recoveryProgressKey } from '../schema.ts';

export interface RecoveryCursor {
  /** In milliseconds since 1970; `null` before the first run. */
  find(): Promise<number | null>;
  /** Never moves back: of two runs at the same time, the one that is further decides. */
  advance(toMs: number): Promise<void>;
}

const attribute = 'recovered_until_ms';

export function createRecoveryCursor({ client, tableName: TableName }: CostRollupsTable): RecoveryCursor {
  return {
    async find() {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: recoveryProgressKey, ConsistentRead: true }),
      );
      return Item === undefined ? null : Number(Item[attribute]);
    },
    async advance(toMs) {
      const put = new PutCommand({
        TableName,
        Item: { ...recoveryProgressKey, [attribute]: toMs },
        ConditionExpression: `attribute_not_exists(${attribute}) OR ${attribute} < :to`,
        ExpressionAttributeValues: { ':to': toMs },
      });
      await client.send(put).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },
  };
}
