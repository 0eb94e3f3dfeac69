/** Settles the budgets of a record that is replayed, in the transaction that adds it to the rollups. */
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { settlementUpdate } from '#lambdas/limits/counters/settlement.ts';
import { type BudgetCountersTable, findCounterItem } from '#lambdas/limits/counters/table.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import type { RollupRecord } from '../rollups/row-updates.ts';
import { findRollupState } from '../rollups/state.ts';
import { reservedItemIndex, scopesOf, settlementOf } from './record-settlement.ts';

export interface ReplayedCountersDependencies {
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  now(): Date;
}

type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>;

/**
 * The updates of the counters, which fail if they have changed meanwhile. `null` during a recount, which may have read the
 * rows already: the record has to wait for its end.
 */
export async function counterUpdates(
  { budgetCounters, costRollups, now }: ReplayedCountersDependencies,
  record: RollupRecord,
): Promise<Actions | null> {
  const state = await findRollupState(costRollups, record.entry.organization_id);
  const actions: Actions = [];
  for (const scope of scopesOf([record], () => state)) {
    const first = await findCounterItem(budgetCounters, counterKey(scope));
    if (first === null) continue;
    if (first.recountFromMs !== null) return null;
    const key = counterKey(scope, reservedItemIndex(record.entry, scope, first) ?? 0);
    const item = key === first.key ? first : await findCounterItem(budgetCounters, key);
    if (item?.id !== first.id) continue;
    const settlement = { ...settlementOf(record, scope, first, () => state), isReplayed: true };
    const update = settlementUpdate(item, [settlement], now()).build();
    if (update.UpdateExpression === '') continue;
    actions.push({ Update: { TableName: budgetCounters.tableName, Key: counterItemKey(key), ...update } });
  }
  return actions;
}
