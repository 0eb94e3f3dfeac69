/**
 * The state of an organization's cost rollups: the generation that is read, and the one that is being built.
 *
 * One item of the table holds it, together with the repair that is in progress, so that one conditional write can make
 * sure that no other repair is. `state-item.ts` lists the item's attributes.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  type GetCommandOutput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from './item.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';

/**
 * A set of rows: a rebuild makes a new one beside the one that is read. Of the stream it has what was written at `fromMs`
 * or later; what is older was counted from the entries themselves.
 */
export interface RollupGeneration {
  generation: number;
  fromMs: number;
}

/** The generation that is read, and the one that is being built. */
export interface RollupState extends RollupGeneration {
  rebuild: RollupGeneration | null;
}

/** The generations to which a record of the stream belongs, by the time when its entry was written. */
export function generationsAt(state: RollupState, writtenAtMs: number): number[] {
  const all = state.rebuild === null ? [state] : [state, state.rebuild];
  return all.filter(({ fromMs }) => writtenAtMs >= fromMs).map(({ generation }) => generation);
}

/** The state of an organization whose rollups were never rebuilt: the stream has brought all that its rows hold. */
const firstState: RollupState = { generation: 0, fromMs: 0, rebuild: null };

/** One strongly consistent read. */
export async function findRollupState(table: CostRollupsTable, organizationId: string): Promise<RollupState> {
  const item = await findStateItem(table, organizationId);
  if (item === null) return firstState;
  return { ...readGeneration(item), rebuild: item.rebuild ? readGeneration(item.rebuild) : null };
}

/** Before the first rebuild, an item that another command made has no generation. */
function readGeneration({ generation = 0, from_ms = 0 }: Record<string, number>): RollupGeneration {
  return { generation, fromMs: from_ms };
}

export type StateItem = NonNullable<GetCommandOutput['Item']>;

export function stateKey(organizationId: string): ItemKey {
  return { [costRollupsSchema.partitionKey]: organizationId, [costRollupsSchema.sortKey]: 'state' };
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
