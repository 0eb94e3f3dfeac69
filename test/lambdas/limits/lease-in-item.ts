import { admissionUpdate } from '#lambdas/limits/counters/admission-update.ts';
import { periodsAt } from '#lambdas/limits/counters/counter.ts';
import { updateItemIf } from '#lambdas/limits/counters/item-writes.ts';
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import { simpleTake } from '#lambdas/limits/counters/take.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';

interface NewLease {
  usd: Usd;
  /** When the request is received, which is also the time of the write. */
  atMs: number;
}

/** Takes a lease from an item of the counter `c`, as a request does that was received at the time. */
export async function leaseInItem(
  { tableName, endpoint }: Pick<BudgetCountersTable, 'tableName'> & { endpoint: string },
  itemKey: string,
  { usd, atMs }: NewLease,
): Promise<void> {
  const budget = { ...simpleTake({ usd, atMs }), id: 'c', day: periodsAt(atMs).day };
  const forms = { requests_per_minute: 'full', tokens_per_minute: 'full' } as const;
  const rates = { chargesUs: {}, concurrent: null };
  const update = admissionUpdate({ budget, rates, forms, expiredCounts: [] }, atMs);
  const table = { calls: tableCallsAt(endpoint), tableName, now: () => new Date(atMs) };
  const { isWritten } = await updateItemIf(table, itemKey, update, { timeoutMs: 2000 });
  if (!isWritten) throw new Error(`The item ${itemKey} has too little left`);
}
