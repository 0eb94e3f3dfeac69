/** The states of the explorer: the table, the processes, and what has happened to requests according to the outside. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { RollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import type { Reservation } from '#lambdas/limits/admission.ts';
import { createCounterItem } from '#lambdas/limits/counters/change.ts';
import { divideUsd, type Usd } from '#lambdas/platform/money.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { createMemoryClient } from '#test/support/dynamodb/memory/client.ts';
import { createMemoryTable, type MemoryTable, stateText } from '#test/support/dynamodb/memory/table.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { Point } from './process.ts';
import { type AdmittedRequest, itemKeys, type RequestPlan } from './programs.ts';

export interface Events {
  /** The number of functions that are killed, each at any moment. */
  kills: number;
  /** The number of calls that are not made, made without a response, or made twice. */
  failures: number;
  /** By which the clock advances, in this order. */
  jumpsMs: readonly number[];
}

export interface Scenario {
  name: string;
  startMs: number;
  /** The limits of days and months of the organization, and of the key, whose counter has one item. */
  organization: { limitUsd: Usd; itemCount: number } | null;
  keyLimitUsd: Usd | null;
  requests: readonly RequestPlan[];
  events: Events;
  /** For each request. */
  maxRenewals: number;
  /** Without, entries are settled at the end only. */
  settles: boolean;
  /** The limit of the organization after a change, which happens at most once. */
  changedLimitUsd: Usd | null;
}

/** The owner of a counter. */
export interface Owner {
  name: 'organization' | 'key';
  counterId: string;
  keys: readonly string[];
  limitUsd: Usd;
}

/** The state of a request in the counter of an owner. */
export interface Hold {
  /** The item and the attribute of the lease; `null` before the first. */
  lease: string | null;
  /** Its lease has expired, and was released for another request. */
  isReleased: boolean;
  /** Also if it was taken again. */
  wasReleased: boolean;
  end: 'not made' | 'made' | 'failed';
  /** True if the budget covered the request after the last call of its admission, and at all times since its start. */
  isCovered: boolean;
  wasAlwaysCovered: boolean;
  /** The debt of all items when the request found that none has enough, before it read them. */
  owedUsd: Usd;
}

export interface RequestState {
  point: Point<AdmittedRequest>;
  phase: 'waiting' | 'admitting' | 'running' | 'renewing' | 'ending' | 'ended' | 'logged' | 'refused';
  isKilled: boolean;
  receivedAtMs: number;
  /** The start of the last write of its lease. */
  leasedAtMs: number;
  reservation: Reservation | null;
  renewals: number;
  holds: Readonly<Record<string, Hold>>;
}

export interface LoggedEntry {
  request: number;
  pendingUsd: Usd | null;
  writtenAtMs: number;
}

export interface State {
  table: ReturnType<MemoryTable['snapshot']>;
  nowMs: number;
  requests: readonly RequestState[];
  log: readonly LoggedEntry[];
  /** The number of entries that are settled. */
  settled: number;
  /** The function that settles the entries up to `end`. */
  settlement: { point: Point<void>; end: number } | null;
  change: { phase: 'possible' | 'running' | 'failed' | 'done'; point: Point<void> | null };
  left: Events;
  /** How the state was reached. */
  before: State | null;
  action: string;
}

export interface World {
  scenario: Scenario;
  memory: MemoryTable;
  apiKey: RequestKey;
  owners: readonly Owner[];
}

export const organizationId = 'o';

export async function createWorld(scenario: Scenario): Promise<World> {
  const memory = createMemoryTable('BudgetCounters', 'counter_key');
  const { organization, keyLimitUsd } = scenario;
  const owners: Owner[] = [];
  const apiKey = requestKey({ id: 'k', organization_id: organizationId, log_shards: 16 });
  if (organization !== null) {
    const { itemCount, limitUsd } = organization;
    owners.push({
      name: 'organization',
      counterId: 'co',
      keys: itemKeys({ organizationId, keyId: null }, itemCount),
      limitUsd,
    });
    apiKey.organization_budget = { id: 'co', shards: itemCount, allows_unpriced: false };
  }
  if (keyLimitUsd !== null) {
    const keys = itemKeys({ organizationId, keyId: 'k' }, 1);
    owners.push({ name: 'key', counterId: 'ck', keys, limitUsd: keyLimitUsd });
    apiKey.key_budget = { id: 'ck', shards: 1, allows_unpriced: false };
  }
  const table = { client: createMemoryClient(memory), tableName: memory.name };
  for (const { keys, counterId: id, limitUsd } of owners) {
    const parts = divideUsd(limitUsd, keys.length);
    for (const [index, key] of keys.entries()) {
      await createCounterItem(table, { key, id, itemCount: keys.length, limitUsd: parts[index] ?? '0' });
    }
  }
  return { scenario, memory, apiKey, owners };
}

/** Equal states have the same text, however they were reached. */
export function textOf({ table, nowMs, requests, log, settled, settlement, change, left }: State): string {
  const processes = requests.map(({ point, ...request }) => ({
    ...request,
    // It does not go on.
    point: request.isKilled || point.ended !== null ? 0 : point.id,
  }));
  return JSON.stringify([
    stateText(table),
    nowMs,
    processes,
    log,
    settled,
    settlement && [settlement.point.id, settlement.end],
    [change.phase, change.point?.id],
    left,
  ]);
}

/** All actions from the first state on. */
export function scheduleOf(state: State): string[] {
  return state.before === null ? [] : [...scheduleOf(state.before), state.action];
}

const entryId = createLogId(0);

export function recordsOf(
  { scenario, apiKey }: World,
  { log, requests }: Pick<State, 'log' | 'requests'>,
  { begin, end }: { begin: number; end: number },
): RollupRecord[] {
  return log.slice(begin, end).map(({ request, pendingUsd, writtenAtMs }, index) => {
    const { reservation = null, receivedAtMs = 0 } = requests[request] ?? {};
    const entry = logEntry({
      id: entryId,
      organization_id: organizationId,
      api_key_id: apiKey.id,
      created_at: new Date(receivedAtMs).toISOString(),
      cost_usd: scenario.requests[request]?.costUsd ?? '0',
      reserved_usd: reservation?.usd ?? null,
      pending_usd: pendingUsd,
      budget_counters: reservation?.counters ?? null,
    });
    return { sequenceNumber: String(100 + begin + index), entry, before: null, writtenAtMs };
  });
}
