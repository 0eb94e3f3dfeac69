/**
 * The event source mapping of the budget function: delivers the records of pending changes, repeats failed invocations, and
 * discards a batch after the last attempt. The changes are in a Directory table of their own; a test decides how each is applied.
 */
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createBudgetHandler } from '#lambdas/costs/budgets/handler.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import {
  type BudgetChangesTable,
  listPendingChanges,
  pendingChangeItem,
} from '#lambdas/limits/budgets/pending-changes.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { pendingChangesPartition } from '#lambdas/limits/schema.ts';
import { sendTransaction } from '#lambdas/platform/dynamodb/transaction.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';
import { trackCalls } from './tracked-client.ts';

type Client = BudgetChangesTable['client'];

/** A process that is killed at a call, before or after the call has taken effect. */
export interface Kill {
  atCall: number;
  takesEffect: boolean;
}

export interface SimulatedEventSource {
  clock: SimulatedClock;
  table: BudgetChangesTable;
  /** The scopes of the records that were not processed yet. */
  records: BudgetScope[];
  /** The scopes of each discarded batch. */
  discarded: BudgetScope[][];
  /** The scopes that were attempted by each invocation. */
  invocations: { attempted: string[]; durationMs: number; outcome: 'succeeded' | 'failed' | 'killed' }[];
  change(scope: BudgetScope): Promise<void>;
  /** Makes the change when the clock has this time, also during an invocation. */
  changeAt(atMs: number, scope: BudgetScope): void;
  pending(): Promise<string[]>;
  /** The changes of the scope, and how many of them are in effect. */
  progress(scope: BudgetScope): { changed: number; applied: number };
  /** One invocation with all records. Failed ones stay. */
  invoke(kill?: Kill): Promise<void>;
  /** Invokes the function until there are no records. Kills the first invocations. */
  drain(kills?: readonly (Kill | null)[]): Promise<void>;
}

export interface SimulatedChanges {
  /** Called for each attempt of a change. */
  apply(scope: BudgetScope, wait: (milliseconds: number) => Promise<void>): Promise<void>;
  /** The time of an invocation until no change waits any longer. */
  timeMs: number;
  retryAttempts: number;
}

export async function createSimulatedEventSource(
  database: EmbeddedDynamoDB,
  { apply, timeMs, retryAttempts }: SimulatedChanges,
): Promise<SimulatedEventSource> {
  const clock = createSimulatedClock(Date.UTC(2026, 10, 23, 12));
  const { client: tracked, idle } = trackCalls(database.documentClient);
  const records: BudgetScope[] = [];
  const client = recordPendingChanges(tracked, records);
  const now = () => new Date(clock.nowMs);
  const { name: tableName } = await createTable(database.client, 'Directory', { key: ['pk', 'sk'] });
  const table = { client, tableName, now };
  const changed = new Map<string, number>();
  const applied = new Map<string, number>();
  let planned: { atMs: number; scope: BudgetScope }[] = [];

  const source: SimulatedEventSource = {
    clock,
    table,
    records,
    discarded: [],
    invocations: [],
    async change(scope) {
      const key = counterKey(scope);
      changed.set(key, (changed.get(key) ?? 0) + 1);
      await sendTransaction(client, [pendingChangeItem(table, scope)]);
    },
    changeAt(atMs, scope) {
      planned.push({ atMs, scope });
    },
    pending: async () => (await listPendingChanges(table)).map(({ scope }) => counterKey(scope)),
    progress(scope) {
      const key = counterKey(scope);
      return { changed: changed.get(key) ?? 0, applied: applied.get(key) ?? 0 };
    },
    async invoke(kill) {
      const batch = [...records];
      if (await invokeOnce(batch, kill)) records.splice(0, batch.length);
    },
    async drain(kills = []) {
      const remaining = [...kills];
      for (;;) {
        await makePlannedChanges();
        const batch = [...records];
        if (batch.length === 0) break;
        let isProcessed = false;
        for (let attempt = 0; attempt <= retryAttempts && !isProcessed; attempt++) {
          isProcessed = await invokeOnce(batch, remaining.shift() ?? undefined);
        }
        if (!isProcessed) source.discarded.push(batch);
        records.splice(0, batch.length);
      }
    },
  };

  async function makePlannedChanges() {
    const due = planned.filter(({ atMs }) => atMs <= clock.nowMs);
    planned = planned.filter(({ atMs }) => atMs > clock.nowMs);
    for (const { scope } of due) await source.change(scope);
  }

  async function invokeOnce(scopes: readonly BudgetScope[], kill?: Kill): Promise<boolean> {
    const attempted: string[] = [];
    const killed = Promise.withResolvers<'killed'>();
    const handler = createBudgetHandler({
      directoryTable: {
        client: kill ? killedClient(client, kill, () => killed.resolve('killed')) : client,
        tableName,
      },
      now,
      wait: clock.wait,
      async apply(scope, wait) {
        const key = counterKey(scope);
        attempted.push(key);
        const latest = changed.get(key) ?? 0;
        await apply(scope, wait);
        applied.set(key, latest);
      },
    });
    const startMs = clock.nowMs;
    let outcome: 'succeeded' | 'failed' | 'killed' | null = null;
    const run = handler({ scopes, stopAtMs: startMs + timeMs }).then(
      () => 'succeeded' as const,
      () => 'failed' as const,
    );
    void Promise.race([run, killed.promise]).then((result) => {
      outcome = result;
    });
    for (;;) {
      await idle();
      if (outcome !== null) break;
      clock.advance(250);
      await makePlannedChanges();
    }
    source.invocations.push({ attempted, durationMs: clock.nowMs - startMs, outcome });
    return outcome === 'succeeded';
  }
  return source;
}

/** Adds a record for each write of a pending change, as the table's stream does. */
function recordPendingChanges(client: Client, records: BudgetScope[]): Client {
  const send = async (command: unknown) => {
    const output = await client.send(command as never);
    const updates =
      command instanceof UpdateCommand
        ? [command.input]
        : command instanceof TransactWriteCommand
          ? (command.input.TransactItems ?? []).map(({ Update }) => Update)
          : [];
    for (const update of updates) {
      if (update?.Key?.pk !== pendingChangesPartition) continue;
      const [organizationId = '', owner = ''] = String(update.Key.sk).split('/');
      records.push({ organizationId, keyId: owner === 'organization' ? null : owner });
    }
    return output;
  };
  return Object.assign(Object.create(client), { send });
}

/** From the call on, nothing returns. */
function killedClient(client: Client, { atCall, takesEffect }: Kill, onKilled: () => void): Client {
  let calls = 0;
  const send = async (command: never) => {
    calls++;
    if (calls < atCall) return client.send(command);
    if (calls === atCall) {
      if (takesEffect) await client.send(command);
      onKilled();
    }
    return new Promise(() => {});
  };
  return Object.assign(Object.create(client), { send });
}
