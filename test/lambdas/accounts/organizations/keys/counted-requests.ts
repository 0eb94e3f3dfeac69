/** Requests that the rollups have counted, and budgets in effect: both by the product's own functions. */
import { applyBudget } from '#lambdas/costs/budgets/apply-budget.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { OrganizationsFixture } from '#test/support/accounts/organizations-fixture.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

export interface CountedRequest extends Partial<LogEntry> {
  api_key_id: string;
  /** RFC 3339. */
  at: string;
  logShard?: number;
}

let sequenceNumber = 0;

export async function countRequests(
  { dependencies: { costRollups, now } }: OrganizationsFixture,
  organizationId: string,
  requests: readonly CountedRequest[],
): Promise<void> {
  const count = rollupFunction({ table: costRollups, now });
  const Records = requests.map(({ at, logShard = 0, ...fields }) => {
    const id = createLogId(Date.parse(at), logShard);
    return streamRecord(logEntry({ id, organization_id: organizationId, ...fields }), ++sequenceNumber);
  });
  await count({ shardId: 'shardId-1', Records });
}

/** Puts the budgets of the organization or key into effect. Only time of their own passes meanwhile. */
export async function activateBudgets(
  { dependencies: { directory, directoryTable, budgetCounters, costRollups, now } }: OrganizationsFixture,
  scope: BudgetScope,
): Promise<void> {
  let waitedMs = 0;
  await applyBudget(
    {
      directoryTable,
      budgetCounters,
      costRollups,
      logShardsOf: directory.logShardsOf,
      findNewestEntry: async () => null,
      findCountedUntil: async () => null,
      findOldestUncounted: async () => null,
      findOldestRestored: async () => null,
      newCounterId: () => 'c1',
      now: () => new Date(now().getTime() + waitedMs),
      wait: async (milliseconds) => {
        waitedMs += milliseconds;
      },
    },
    scope,
  );
}
