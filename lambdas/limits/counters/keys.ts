/** The items of a counter: their number, keys and names. */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { BudgetScope } from '../budgets/budget.ts';
import { budgetCountersSchema } from '../schema.ts';

const logShardsPerItem = 8;

/** The number of items over which the limits of an organization, or of one of its keys, are divided. One item accepts 1,000 writes a second. */
export function counterItemCount(logShards: number): number {
  return Math.ceil(logShards / logShardsPerItem);
}

/** The item from which a request reserves first, by the log shard of its entry. */
export function firstItemIndex(logShard: number, itemCount: number): number {
  return Math.floor(logShard / logShardsPerItem) % itemCount;
}

/** The partition key of an item. */
export function counterKey({ organizationId, keyId }: BudgetScope, index = 0): string {
  if (keyId === null) return `${organizationId}/${index}`;
  return index === 0 ? `${organizationId}/${keyId}` : `${organizationId}/${keyId}/${index}`;
}

export function counterItemKey(key: string): Item {
  return { [budgetCountersSchema.partitionKey]: key };
}

/** The counter without the item, as in the events: `organization/<id>` or `key/<id>`. */
export function counterName({ keyId }: Pick<BudgetScope, 'keyId'>, { id }: { id: string }): string {
  return `${keyId === null ? 'organization' : 'key'}/${id}`;
}

export function counterItemName(
  scope: Pick<BudgetScope, 'keyId'>,
  counter: { id: string },
  index: number,
): string {
  return `${counterName(scope, counter)}/${index}`;
}
