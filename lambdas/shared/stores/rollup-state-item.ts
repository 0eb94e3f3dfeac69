/**
 * The item that says of an organization which generation of its rollups is read, and which repair is under way. All that
 * is said stands in one item, so that one conditional write can tell that no other repair is.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  type GetCommandOutput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from './cost-rollup-item.ts';

export type StateItem = NonNullable<GetCommandOutput['Item']>;

export function stateKey(organizationId: string): { pk: string; sk: string } {
  return { pk: organizationId, sk: 'state' };
}

/** One strongly consistent read. */
export async function findStateItem(
  { client, tableName }: CostRollupsTable,
  organizationId: string,
): Promise<StateItem | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: stateKey(organizationId), ConsistentRead: true }),
  );
  return Item ?? null;
}

/** The item afterwards; `null` when the condition does not hold. */
export async function updateStateItem(
  { client, tableName }: CostRollupsTable,
  organizationId: string,
  input: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<StateItem | null> {
  const command = { TableName: tableName, Key: stateKey(organizationId), ...input };
  try {
    const { Attributes = {} } = await client.send(new UpdateCommand({ ...command, ReturnValues: 'ALL_NEW' }));
    return Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}
