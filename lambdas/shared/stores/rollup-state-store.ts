/** Which generation of an organization's rollups is read, and which is being built: one item of their table. */
import type { RollupGeneration, RollupState } from '../domain/rollup.ts';
import type { CostRollupsTable } from './cost-rollup-item.ts';
import { findStateItem } from './rollup-state-item.ts';

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
