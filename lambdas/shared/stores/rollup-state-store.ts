/** Which generation of an organization's rollups is read, and which is being built: one item of their table. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { RollupGeneration, RollupState } from '../domain/rollup.ts';
import type { CostRollupsTable } from './cost-rollup-item.ts';

/** Of an organization of which nothing was ever rebuilt: the stream has brought all that its rows hold. */
const firstState: RollupState = { generation: 0, fromMs: 0, rebuild: null };

/** One strongly consistent read. */
export async function findRollupState(table: CostRollupsTable, organizationId: string): Promise<RollupState> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.tableName, Key: stateKey(organizationId), ConsistentRead: true }),
  );
  if (Item === undefined) return firstState;
  return { ...readGeneration(Item), rebuild: Item.rebuild ? readGeneration(Item.rebuild) : null };
}

export function stateKey(organizationId: string): { pk: string; sk: string } {
  return { pk: organizationId, sk: 'state' };
}

/** Before the first rebuild there is no generation in an item, if another command made it. */
function readGeneration({ generation = 0, from_ms = 0 }: Record<string, number>): RollupGeneration {
  return { generation, fromMs: from_ms };
}
