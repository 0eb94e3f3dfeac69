/** Writes to items that the transaction of a change may be writing at the same moment. */
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

/** Resolves to `null` when the condition fails. */
export async function sendIf<Output>(send: () => Promise<Output>): Promise<Output | null> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (error instanceof TransactionConflictException) continue;
      if (error instanceof ConditionalCheckFailedException) return null;
      throw error;
    }
  }
}

/** Resolves to `false` if the attribute has another value, or the item does not exist. */
export async function deleteIf(
  { client, tableName }: DirectoryTable,
  Key: Item,
  { name, value }: { name: string; value: number },
): Promise<boolean> {
  const command = new DeleteCommand({
    TableName: tableName,
    Key,
    ConditionExpression: '#name = :value',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
  });
  return (await sendIf(() => client.send(command))) !== null;
}
