/** The conditional writes with which requests change an item of the BudgetCounters table. */
import type { ConditionalUpdate } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  ConditionFailedError,
  type Item,
  type TableCalls,
  type TableUpdates,
  type UpdateOptions,
} from '#lambdas/platform/dynamodb/table.ts';
import { counterItemKey } from './keys.ts';

export interface ItemTable {
  calls: Pick<TableCalls, 'get'> & TableUpdates;
  tableName: string;
  now(): Date;
}

/** The item is missing, or that of another counter. */
export class CounterMissingError extends Error {
  constructor(itemKey: string) {
    super(`The counter ${itemKey} of a budget is missing or was replaced`);
    this.name = 'CounterMissingError';
  }
}

interface WriteOptions extends Partial<Pick<UpdateOptions, 'retries' | 'returnsChanges'>> {
  /** All attempts together. */
  timeoutMs: number;
}

type WriteResult =
  /** With `returnsChanges`, the changed attributes; empty otherwise. */
  | { isWritten: true; item: Item }
  /** The item whose condition failed; empty if there is none. */
  | { isWritten: false; item: Item };

/** Rejects if the item cannot be written. */
export async function updateItemIf(
  { calls, tableName }: ItemTable,
  itemKey: string,
  { UpdateExpression, ...condition }: ConditionalUpdate,
  { timeoutMs, retries = 'any', returnsChanges = false }: WriteOptions,
): Promise<WriteResult> {
  const options = { UpdateExpression, condition, timeoutMs, retries, returnsChanges };
  try {
    return { isWritten: true, item: await calls.update(tableName, counterItemKey(itemKey), options) };
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    return { isWritten: false, item: error.item };
  }
}
