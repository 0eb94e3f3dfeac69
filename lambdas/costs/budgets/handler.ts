/**
 * The budget function: puts changes of budgets into effect.
 *
 * The stream of the Directory table starts it. It looks for pending changes itself, so that changes during its run, which
 * takes half a minute for a new hard budget, do not wait for its end, and changes that were given up earlier have another
 * chance. Each is attempted once, independently of the others.
 *
 * An invocation fails only if a change of its own records has failed: Lambda then invokes it with them again, and reports them
 * in a queue in the end. The others have records, or reports in the queue, of their own. A change that still waits when the
 * time is over has not failed: it gets a new record, before the invocation reports success for the old one.
 */
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import {
  listPendingChanges,
  type PendingChange,
  removePendingChange,
  restartPendingChange,
} from '#lambdas/limits/budgets/pending-changes.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { BudgetDependencies } from './dependencies.ts';

interface BudgetHandlerDependencies {
  directoryTable: DirectoryTable;
  now(): Date;
  wait: Wait;
  /** `applyBudget` with all that it needs but `wait`, which rejects when the time is over. */
  apply(scope: BudgetScope, wait: Wait): Promise<void>;
}

type Wait = BudgetDependencies['wait'];

interface BudgetBatch {
  /** The scopes of the stream's records. */
  scopes: readonly BudgetScope[];
  /** After this time, in milliseconds since 1970, no change is started, and none waits any longer. */
  stopAtMs: number;
}

type BudgetHandler = (batch: BudgetBatch) => Promise<void>;

interface Attempt extends PendingChange {
  state: 'running' | 'applied' | 'failed' | 'out of time';
}

/** Thrown into a change that would wait beyond the end of the invocation. */
class OutOfTimeError extends Error {}

const pollMs = 1000;

/** Rejects when a change of the batch has failed: Lambda then invokes the function again. */
export function createBudgetHandler(dependencies: BudgetHandlerDependencies): BudgetHandler {
  const { directoryTable, now, wait } = dependencies;
  return async ({ scopes, stopAtMs }) => {
    const waitInTime: Wait = async (milliseconds) => {
      if (now().getTime() + milliseconds >= stopAtMs) throw new OutOfTimeError();
      await wait(milliseconds);
    };
    const attempts = new Map<string, Attempt>();
    const running = new Map<string, Promise<void>>();

    const startNewChanges = async () => {
      for (const change of await listPendingChanges(directoryTable)) {
        const key = counterKey(change.scope);
        // A later change of the same budget may succeed where the one before has failed.
        if (running.has(key) || attempts.get(key)?.changes === change.changes) continue;
        const attempt: Attempt = { ...change, state: 'running' };
        attempts.set(key, attempt);
        const run = runAttempt(dependencies, attempt, waitInTime).finally(() => running.delete(key));
        running.set(key, run);
      }
    };

    try {
      while (now().getTime() < stopAtMs) {
        await startNewChanges();
        if (running.size === 0) break;
        await Promise.race([...running.values(), wait(pollMs)]);
      }
    } finally {
      await Promise.all(running.values());
    }
    await continueLater(directoryTable, [...attempts.values()]);
    const hasFailed = scopes.some((scope) => attempts.get(counterKey(scope))?.state === 'failed');
    if (hasFailed) throw new Error('Changes of budgets have failed: see budget_change_failed');
  };
}

/** Never rejects: the failure of one change must not end the others. */
async function runAttempt(
  { directoryTable, apply }: BudgetHandlerDependencies,
  attempt: Attempt,
  wait: Wait,
): Promise<void> {
  try {
    await apply(attempt.scope, wait);
    // A change in the meantime stays pending.
    await removePendingChange(directoryTable, attempt);
    attempt.state = 'applied';
  } catch (error) {
    attempt.state = error instanceof OutOfTimeError ? 'out of time' : 'failed';
    if (attempt.state === 'failed')
      log.error('budget_change_failed', { ...logFields(attempt), ...errorFields(error) });
  }
}

/** A new record of the stream goes on with the changes that have not failed. */
async function continueLater(directoryTable: DirectoryTable, attempts: readonly Attempt[]): Promise<void> {
  for (const attempt of attempts) {
    if (attempt.state !== 'out of time') continue;
    await restartPendingChange(directoryTable, attempt.scope);
    log.info('budget_change_continues', logFields(attempt));
  }
}

function logFields({ scope: { organizationId, keyId }, since }: PendingChange) {
  return { organization_id: organizationId, api_key_id: keyId, pending_since: since };
}
