import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import type { CompletenessDependencies } from '../completeness.ts';
import type { CostRollupsTable } from '../rollups/item.ts';

export interface BudgetDependencies extends CompletenessDependencies {
  directoryTable: DirectoryTable;
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  logShardsOf(organizationId: string): Promise<number>;
  newCounterId(): string;
  wait(milliseconds: number): Promise<void>;
}

/** A function may have read the key just before it got the counter, and take a second to reserve. */
export const keyPropagationMs = keyRevocationDelayMs + 1000;
