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
import type { CostRollupsTable } from './item.ts';
import type { RollupGeneration, RollupState } from './rollup.ts';
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

// Which generation of an organization's rollups is read, and which is being built: one item of their table.

/** Of an organization of which nothing was ever rebuilt: the stream has brought all that its rows hold. */
const firstState: RollupState = { generation: 0, fromMs: 0, rebuild: null };

/** One strongly consistent read. */
export async function findRollupState(table: CostRollupsTable, organizationId: string): Promise<RollupState> {
  const item = await findStateItem(table, organizationId);
  if (item === null) return firstState;
  return { ...readGeneration(item), rebuild: item.rebuild ? readGeneration(item.rebuild) : null };
}

/** Before the first rebuild there is no generation in an item, if another command made it. */
function readGeneration({ generation = 0, from_ms = 0 }: Record<string, number>): RollupGeneration {
  return { generation, fromMs: from_ms };
}
