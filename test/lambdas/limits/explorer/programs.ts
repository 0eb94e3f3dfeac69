/** The product's own code as programs: requests, the settlement of a batch of log entries, and a change of limits. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { findBatchCounters } from '#lambdas/costs/budgets/batch-counters.ts';
import type { RollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import { type AdmissionDependencies, type AdmissionResult, createAdmit } from '#lambdas/limits/admission.ts';
import { setLimits } from '#lambdas/limits/counters/change.ts';
import { openPeriodsOf } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { rebalance } from '#lambdas/limits/counters/rebalance.ts';
import { findItemsByKey } from '#lambdas/limits/counters/table.ts';
import { divideUsd, minUsd, type Usd } from '#lambdas/platform/money.ts';
import { createMemoryClient, createMemoryTableCalls } from '#test/support/dynamodb/memory/client.ts';
import type { MemoryTable } from '#test/support/dynamodb/memory/table.ts';
import type { Port, Program } from './process.ts';

export interface RequestPlan {
  /** The amount that it reserves, and its cost at the end. */
  maxUsd: Usd;
  costUsd: Usd;
  logShard: number;
}

export type AdmittedRequest = Pick<AdmissionResult, 'reservation' | 'error'>;

/** Its choices are to start, and then to renew its lease or to end. */
export function requestProgram(
  memory: MemoryTable,
  apiKey: RequestKey,
  { maxUsd, costUsd, logShard }: RequestPlan,
): Program<AdmittedRequest> {
  return async (port) => {
    await port.wait({ kind: 'choice', options: ['start'] });
    const admit = createAdmit({
      calls: scheduledCalls(memory, port),
      tableName: memory.name,
      now: port.now,
      onFailure: () => {},
    });
    const receivedAtMs = port.now().getTime();
    const { reservation, error, lease } = await admit({
      apiKey,
      logShard,
      receivedAtMs,
      usd: maxUsd,
      tokens: 0,
    });
    if (lease === null) return { reservation, error };
    const running = { kind: 'choice', options: ['renew', 'end'], reservation } as const;
    while ((await port.wait(running)) === 'renew') await lease.renew();
    await lease.end({ costUsd, tokens: 0 });
    await port.wait({ kind: 'entry' });
    return { reservation, error };
  };
}

const shardId = 'shardId-00000000000000000001-0';

export function settlementProgram(memory: MemoryTable, records: readonly RollupRecord[]): Program<void> {
  return async (port) => {
    await port.wait({ kind: 'choice', options: ['start'] });
    const budgetCounters = { client: scheduledClient(memory, port), tableName: memory.name };
    const counters = { organization: true, keys: true, flagChanges: 1 };
    const state = { generation: 0, cutoverMs: 0, rebuild: null, counters };
    const dependencies = { budgetCounters, sendEvents: async () => {}, now: port.now };
    await (await findBatchCounters(dependencies, records, () => state)).settle(shardId);
  };
}

/** As the budget function puts new limits into effect. */
export function limitProgram(
  memory: MemoryTable,
  { keys, id, limitUsd }: { keys: readonly string[]; id: string; limitUsd: Usd },
): Program<void> {
  return async (port) => {
    await port.wait({ kind: 'choice', options: ['start'] });
    const table = { client: scheduledClient(memory, port), tableName: memory.name };
    const itemCount = keys.length;
    const parts = divideUsd(limitUsd, itemCount);
    const limitsOf = (index: number) => ({ day: parts[index] ?? '0', month: parts[index] ?? '0' });
    const items = (await findItemsByKey(table, { keys, id })) ?? [];
    for (const [index, item] of items.entries()) {
      const limits = limitsOf(index);
      const lower = {
        day: minUsd(item.limits.day, limits.day),
        month: minUsd(item.limits.month, limits.month),
      };
      await setLimits(table, item, { itemCount, limits: lower }, port.now());
    }
    for (const [index, item] of items.entries()) {
      await setLimits(table, item, { itemCount, limits: limitsOf(index) }, port.now());
    }
    const changed = (await findItemsByKey(table, { keys, id })) ?? [];
    for (const period of openPeriodsOf(changed, port.now())) {
      await rebalance(table, { keys, id, period }, limitUsd);
    }
  };
}

function scheduledCalls(memory: MemoryTable, port: Port): AdmissionDependencies['calls'] {
  const calls = createMemoryTableCalls(memory);
  const wait = (
    name: string,
    keys: readonly unknown[],
    execute: () => Promise<unknown>,
    isRepeated = false,
  ) => port.wait({ kind: 'call', name, keys: keys.map(String), isRepeated, execute });
  return {
    get: (...input) => wait('get', [input[1].counter_key], () => calls.get(...input)) as never,
    update: (...input) =>
      wait(
        'update',
        [input[1].counter_key],
        () => calls.update(...input),
        input[2].retries === 'any',
      ) as never,
    updateTogether: (...input) =>
      wait(
        'update together',
        input[1].map(({ key }) => key.counter_key),
        () => calls.updateTogether(...input),
      ) as never,
  };
}

interface CommandInput {
  Key?: { counter_key?: unknown };
  TransactItems?: { Update: { Key: { counter_key?: unknown } } }[];
}

function scheduledClient(memory: MemoryTable, port: Port): DynamoDBDocumentClient {
  const client = createMemoryClient(memory);
  const send = (command: { input: CommandInput; constructor: { name: string } }) => {
    const { Key, TransactItems = [] } = command.input;
    const targets = Key === undefined ? TransactItems.map(({ Update }) => Update.Key) : [Key];
    return port.wait({
      kind: 'call',
      name: command.constructor.name,
      keys: targets.map(({ counter_key }) => String(counter_key)),
      // The AWS SDK repeats a write whose response was lost, but transactions have a token.
      isRepeated: command.constructor.name === 'UpdateCommand',
      execute: () => client.send(command as never),
    });
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

export function itemKeys(scope: { organizationId: string; keyId: string | null }, count: number): string[] {
  return Array.from({ length: count }, (_, index) => counterKey(scope, index));
}
