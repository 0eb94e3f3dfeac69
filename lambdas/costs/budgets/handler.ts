/**
 * The budget function: puts changes of budgets into effect.
 *
 * The stream of the Directory table starts it. It looks for pending changes itself, so that changes during its run, which
 * takes half a minute for a new hard budget, do not wait for its end.
 */

import type { BudgetScope } from '#lambdas/limits/budget.ts';
import {
  countPendingChanges,
  listPendingChanges,
  removePendingChanges,
} from '#lambdas/limits/budget-store.ts';
import { counterKey } from '#lambdas/limits/counter.ts';
import { applyBudget } from './apply-budget.ts';
import type { BudgetDependencies } from './dependencies.ts';

/** `stopAtMs`: after this time, in milliseconds since 1970, no further changes are started. */
export type BudgetHandler = (stopAtMs: number) => Promise<void>;

const pollMs = 1000;

/** Rejects when a change has failed or was not started: Lambda then invokes the function again. */
export function createBudgetHandler(dependencies: BudgetDependencies): BudgetHandler {
  const { directory, now, wait } = dependencies;
  return async (stopAtMs) => {
    const running = new Map<string, Promise<void>>();
    const errors: unknown[] = [];
    for (;;) {
      // A later change is a new record of the stream.
      const pending = await listPendingChanges(directory);
      if (pending.length === 0) break;
      const isStopping = errors.length > 0 || now().getTime() >= stopAtMs;
      if (isStopping && running.size === 0)
        throw errors[0] ?? new Error('Changes of budgets are still pending');
      for (const scope of isStopping ? [] : pending) {
        const key = counterKey(scope);
        if (running.has(key)) continue;
        const run = applyChange(dependencies, scope)
          .catch((error: unknown) => void errors.push(error))
          .finally(() => running.delete(key));
        running.set(key, run);
      }
      await Promise.race([...running.values(), wait(pollMs)]);
    }
    await Promise.all(running.values());
    if (errors.length > 0) throw errors[0];
  };
}

async function applyChange(dependencies: BudgetDependencies, scope: BudgetScope): Promise<void> {
  const { directory } = dependencies;
  const changes = await countPendingChanges(directory, scope);
  await applyBudget(dependencies, scope);
  // A change in the meantime stays pending.
  await removePendingChanges(directory, scope, changes);
}
