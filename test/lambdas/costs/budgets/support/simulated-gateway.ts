/**
 * A gateway whose requests, stream and clock a test controls. Requests reserve and log entries are settled by the product's
 * own code, with the embedded DynamoDB.
 */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { applyBudget } from '#lambdas/costs/budgets/apply-budget.ts';
import type { BudgetDependencies } from '#lambdas/costs/budgets/dependencies.ts';
import { createBudgetHandler } from '#lambdas/costs/budgets/handler.ts';
import { createRestoredEntryWriter, findOldestRestored } from '#lambdas/costs/restored-entries.ts';
import { type AdmissionResult, createAdmit, limitedOwnersOf } from '#lambdas/limits/admission.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetTables } from '#lambdas/limits/budgets/budgets.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import type { CounterItem } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { findCounterItem, findCounterItems } from '#lambdas/limits/counters/table.ts';
import type { RequestLease } from '#lambdas/limits/request-lease.ts';
import { streamRetentionMs } from '#lambdas/platform/dynamodb/watermark.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { partitionOf } from '#lambdas/request-log/table/item.ts';
import { createTestAuditTrail, testCreator } from '#test/support/audit/test-audit-trail.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import type { TestTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';
import { trackCalls } from './tracked-client.ts';

export interface SimulatedRequest {
  apiKey: RequestKey;
  /** The write shard of the log entry. */
  logShard: number;
  receivedAtMs: number;
  maxUsd: Usd;
  reservation: AdmissionResult['reservation'];
  lease: RequestLease | null;
  /** When the lease was last written. */
  leasedAtMs: number;
  /** Set when the end of the request was written; `isCertain` unless the write may have had no effect. */
  ended: { costUsd: Usd; isCertain: boolean } | null;
  state: 'running' | 'killed' | 'written';
  entry: LogEntry | null;
  /** The cost of the last delivered record; `null` before the first. */
  countedUsd: Usd | null;
  /** The costs of records whose delivery has failed: the counters may have them or not. */
  uncertainUsd: Usd[];
}

type AttributeImage = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

interface StreamShard {
  id: string;
  records: {
    record: DynamoDBRecord;
    request: SimulatedRequest;
    writtenAtMs: number;
    costUsd: Usd;
    isRestored?: true;
  }[];
  delivered: number;
  /** How many records the rows have counted. */
  inRows: number;
}

export interface CallFailure {
  failAtCall?: number;
  /** Whether the call is made before it fails, as if the response were lost. */
  takesEffect?: boolean;
  /** All later calls fail too. */
  isKilled?: boolean;
}

export interface DeliveryOptions extends CallFailure {
  count?: number;
  /** The rows count the records, but the counters are not written. */
  failsToSettle?: boolean;
}

/** The write that ends the lease is made, or fails, or its response is lost. */
export type LeaseEnding = 'made' | 'failed' | 'lost';

export interface FinishOptions {
  outcome?: LogEntry['outcome'];
  ending?: LeaseEnding;
}

export interface SimulatedGateway {
  organizationId: string;
  keyIds: readonly string[];
  clock: SimulatedClock;
  requests: SimulatedRequest[];
  events: BudgetEvent[];
  /** Resolves to the request if no budget refuses it. `keyAgeMs` is the age of the key in the function's cache. */
  start(request: { key: number; logShard: number; maxUsd: Usd }): Promise<SimulatedRequest | null>;
  finish(request: SimulatedRequest, costUsd: Usd, options?: FinishOptions): Promise<void>;
  /** Renews the leases of all running requests. */
  renew(): Promise<void>;
  /** With `costUsd`, after the end of the request was written, and before its entry. */
  kill(request: SimulatedRequest, costUsd?: Usd): Promise<void>;
  /** Restores the entry of a killed request, unless a call fails before it has an effect. */
  recover(request: SimulatedRequest, costUsd: Usd, failure?: CallFailure): Promise<void>;
  /** Changes the cost of a written entry. */
  reprice(request: SimulatedRequest, costUsd: Usd): void;
  /** Invokes the rollup function with the next records. After a failure, they are delivered again later. */
  deliver(shard: number, options?: DeliveryOptions): Promise<void>;
  /** When the first of the undelivered records leaves the stream; infinite if there are none. */
  firstExpiryMs(): number;
  /**
   * Applies pending changes, while the clock advances only to wait. Resolves to the time that it took; rejects if one of its
   * calls fails.
   */
  applyChanges(failure?: CallFailure): Promise<number>;
  /** The same without advancing the clock. Only one invocation may run at a time, as on AWS. */
  startApplying(): Promise<void>;
  /** Advances the clock until the work is done. Resolves to the time that it took. */
  waitFor(work: Promise<void>): Promise<number>;
  /** Resolves when no call of the budget function is in progress. */
  idle(): Promise<void>;
  budgetTables: BudgetTables;
  audit: AuditTrail;
  costRollups: BudgetDependencies['costRollups'];
  countersOf(keyId: string | null): Promise<readonly CounterItem[]>;
  raiseLogShards(count: number): Promise<void>;
  /** Whether EventBridge rejects events. */
  failEvents(fails: boolean): void;
  /** Later entries are in new stream shards. Everything must have been delivered. */
  startStreamShard(): void;
}

const streamShards = 2;

let shardIds = 0;
const newShardId = () => `shardId-0000000179${String(++shardIds).padStart(10, '0')}-0a1b2c3d`;

const cacheMs = 20_000;

export async function createSimulatedGateway(
  database: EmbeddedDynamoDB,
  tables: TestTables,
  { organizationId, keys, startMs }: { organizationId: string; keys: number; startMs: number },
): Promise<SimulatedGateway> {
  const clock = createSimulatedClock(startMs);
  const now = () => new Date(clock.nowMs);
  const { client, idle } = trackCalls(database.documentClient);
  const directoryTable = { client, tableName: tables.directory, now };
  const directory = createDirectoryStore(directoryTable);
  const created_at = now().toISOString();
  const audit = createTestAuditTrail(database, tables, now);
  await directory.createOrganization({ id: organizationId, name: 'Test', created_at, log_shards: 1 }, audit);
  const key = { organizationId, createdAt: now(), createdBy: testCreator };
  const issued = Array.from({ length: keys }, (_, index) => issueApiKey({ ...key, name: `key ${index}` }));
  for (const { key, apiKey } of issued) await directory.createApiKey(apiKey, hashApiKey(key), audit);
  const budgetCounters = { client, tableName: tables.budgetCounters };
  const costRollups = { client, tableName: tables.costRollups };
  const calls = tableCallsAt(database.endpoint, () => new Date());
  let ending: LeaseEnding = 'made';
  const admit = createAdmit({
    calls: {
      ...calls,
      async update(...update) {
        if (ending === 'failed') throw new InjectedFailure();
        const item = await calls.update(...update);
        if (ending === 'lost') throw new InjectedFailure();
        return item;
      },
    },
    tableName: tables.budgetCounters,
    now,
    onFailure(error) {
      if (!(error instanceof InjectedFailure)) throw error;
    },
  });
  const endLease = async (request: SimulatedRequest, costUsd: Usd, wanted: LeaseEnding) => {
    ending = wanted;
    await request.lease?.end({ costUsd, tokens: 0 });
    ending = 'made';
    if (request.lease !== null) request.ended = { costUsd, isCertain: wanted === 'made' };
  };
  const requests: SimulatedRequest[] = [];
  const events: BudgetEvent[] = [];
  const shards = Array.from(
    { length: streamShards },
    (): StreamShard => ({ id: newShardId(), records: [], delivered: 0, inRows: 0 }),
  );
  const cache = new Map<number, { apiKey: RequestKey; readAtMs: number }>();

  const findKey = async (index: number): Promise<RequestKey> => {
    const cached = cache.get(index);
    if (cached !== undefined && clock.nowMs - cached.readAtMs < cacheMs) return cached.apiKey;
    const readAtMs = clock.nowMs;
    const apiKey = await directory.findApiKeyByHash(hashApiKey(issued[index]?.key ?? ''));
    if (apiKey === null) throw new Error('The key is missing');
    cache.set(index, { apiKey, readAtMs });
    return apiKey;
  };
  const shardOf = (logShard: number) => shards[logShard % streamShards] as StreamShard;
  const createApply = (functionClient: DynamoDBDocumentClient) => {
    const dependencies: BudgetDependencies = {
      directoryTable: { ...directoryTable, client: functionClient },
      budgetCounters: { ...budgetCounters, client: functionClient },
      costRollups: { ...costRollups, client: functionClient },
      logShardsOf: directory.logShardsOf,
      // The simulation knows exactly what the rows have counted, except for restored entries: `completeness.test.ts` tests how
      // the product finds out.
      async findNewestEntry(_, beforeMs) {
        const undelivered = shards
          .flatMap(({ records, inRows }) => records.slice(inRows))
          .filter(({ isRestored }) => !isRestored);
        const [oldest] = undelivered.sort((one, other) => one.writtenAtMs - other.writtenAtMs);
        if (oldest?.request.entry == null || beforeMs < clock.nowMs) return null;
        return { entry: oldest.request.entry, writtenAtMs: oldest.writtenAtMs };
      },
      findCountedUntil: async () => null,
      findOldestUncounted: async () => null,
      findOldestRestored: (id, writtenBeforeMs) =>
        findOldestRestored({ ...costRollups, client: functionClient }, id, { writtenBeforeMs, now: now() }),
      newCounterId: () => `c${++counters}`,
      now,
      wait: clock.wait,
    };
    return createBudgetHandler({
      ...dependencies,
      apply: (scope, wait) => applyBudget({ ...dependencies, wait }, scope),
    });
  };
  const entryOf = (
    { apiKey, reservation, receivedAtMs, logShard, ended }: SimulatedRequest,
    cost_usd: Usd,
    outcome: LogEntry['outcome'],
  ) =>
    logEntry({
      id: createLogId(receivedAtMs, logShard),
      organization_id: organizationId,
      api_key_id: apiKey.id,
      outcome,
      cost_usd,
      reserved_usd: reservation?.usd ?? null,
      pending_usd: reservation === null ? null : (ended?.costUsd ?? null),
      budget_counters: reservation && reservation.counters.length > 0 ? reservation.counters : null,
    });
  const readImage = async ({ organization_id, id }: LogEntry) => {
    const key = { organization_shard: partitionOf(organization_id, shardOfLogId(id)), id };
    const get = new GetItemCommand({ TableName: tables.logEntries, Key: marshall(key) });
    return ((await database.client.send(get)).Item as AttributeImage | undefined) ?? null;
  };
  let counters = 0;
  const everyScope = [null, ...issued.map(({ apiKey }) => apiKey.id)].map((keyId) => ({
    organizationId,
    keyId,
  }));
  const batch = { scopes: everyScope, stopAtMs: Number.POSITIVE_INFINITY };
  let eventsFail = false;
  let sequence = 100;
  const writtenAt = new Map<string, number>();

  const gateway: SimulatedGateway = {
    organizationId,
    keyIds: issued.map(({ apiKey }) => apiKey.id),
    clock,
    requests,
    events,
    budgetTables: { directoryTable, budgetCounters },
    audit,
    costRollups,
    async start({ key, logShard, maxUsd }) {
      const apiKey = await findKey(key);
      const receivedAtMs = clock.nowMs;
      const shard = logShard % apiKey.log_shards;
      const hasBudget = limitedOwnersOf(apiKey).length > 0;
      const { reservation, lease, error } = hasBudget
        ? await admit({ apiKey, logShard: shard, receivedAtMs, usd: maxUsd, tokens: 0 })
        : { reservation: null, lease: null, error: null };
      const request: SimulatedRequest = {
        apiKey,
        logShard: shard,
        receivedAtMs,
        maxUsd,
        reservation,
        lease,
        leasedAtMs: receivedAtMs,
        ended: null,
        state: 'running',
        entry: null,
        countedUsd: null,
        uncertainUsd: [],
      };
      if (error !== null) {
        await gateway.finish(request, '0', { outcome: 'rejected' });
        return null;
      }
      requests.push(request);
      return request;
    },
    async finish(request, costUsd, { outcome = 'completed', ending = 'made' } = {}) {
      await endLease(request, costUsd, ending);
      request.entry = entryOf(request, costUsd, outcome);
      request.state = 'written';
      writtenAt.set(request.entry.id, clock.nowMs);
      const record = streamRecord(request.entry, ++sequence, clock.nowMs);
      shardOf(request.logShard).records.push({ record, request, writtenAtMs: clock.nowMs, costUsd });
    },
    reprice(request, costUsd) {
      const { entry: before } = request;
      if (before === null) throw new Error('The request has no entry');
      const beforeMs = writtenAt.get(before.id) ?? 0;
      const afterMs = Math.max(clock.nowMs, beforeMs + 1);
      request.entry = { ...before, cost_usd: costUsd };
      writtenAt.set(before.id, afterMs);
      const { dynamodb: old } = streamRecord(before, sequence, beforeMs);
      const { dynamodb, ...record } = streamRecord(request.entry, ++sequence, afterMs);
      const change = { ...record, eventName: 'MODIFY', dynamodb: { ...dynamodb, OldImage: old?.NewImage } };
      shardOf(shardOfLogId(before.id)).records.push({
        record: change as DynamoDBRecord,
        request,
        writtenAtMs: afterMs,
        costUsd,
      });
    },
    async renew() {
      for (const request of requests.filter(({ state }) => state === 'running')) {
        await request.lease?.renew();
        request.leasedAtMs = clock.nowMs;
      }
    },
    async kill(request, costUsd) {
      if (costUsd !== undefined) await endLease(request, costUsd, 'made');
      request.state = 'killed';
    },
    async recover(request, costUsd, failure = {}) {
      const entry = entryOf(request, request.ended?.costUsd ?? costUsd, 'interrupted');
      const flaky = failingClient(client, failure);
      const logEntries = { client: flaky, tableName: tables.logEntries, now };
      const rollups = { ...costRollups, client: flaky };
      await createRestoredEntryWriter({ logEntries, costRollups: rollups }, 90)
        .put(entry)
        .catch((error: unknown) => {
          if (!(error instanceof InjectedFailure)) throw error;
        });
      const NewImage = await readImage(entry);
      if (NewImage === null) return;
      request.entry = entry;
      request.state = 'written';
      writtenAt.set(entry.id, clock.nowMs);
      const { dynamodb: _, ...inserted } = streamRecord(entry, ++sequence, clock.nowMs);
      const record = { ...inserted, dynamodb: { SequenceNumber: String(sequence), NewImage } };
      const written = {
        record,
        request,
        writtenAtMs: clock.nowMs,
        costUsd: entry.cost_usd,
        isRestored: true,
      } as const;
      shardOf(request.logShard).records.push(written);
    },
    async deliver(index, { count = Number.POSITIVE_INFINITY, failsToSettle = false, ...failure } = {}) {
      const shard = shards[index % streamShards] as StreamShard;
      const batch = shard.records.slice(shard.delivered, shard.delivered + count);
      if (batch.length === 0) return;
      if (clock.nowMs > gateway.firstExpiryMs()) throw new Error('A record has left the stream undelivered');
      const flaky = failingClient(client, failure);
      const handler = rollupFunction({
        table: { client: flaky, tableName: tables.costRollups },
        now,
        settlement: {
          budgetCounters: {
            client: failsToSettle ? readOnlyClient(client) : flaky,
            tableName: tables.budgetCounters,
          },
          async sendEvents(sent) {
            if (eventsFail) throw new InjectedFailure();
            events.push(...sent);
          },
          now,
        },
      });
      try {
        await handler({ shardId: shard.id, Records: batch.map(({ record }) => record) });
      } catch (error) {
        if (!(error instanceof InjectedFailure)) throw error;
        for (const { request, costUsd } of batch) request.uncertainUsd.push(costUsd);
        // With another failure, it is not known what the rows have counted.
        const isOnlySettlement = failsToSettle && failure.failAtCall === undefined;
        if (isOnlySettlement) shard.inRows = Math.max(shard.inRows, shard.delivered + batch.length);
        return;
      }
      shard.delivered += batch.length;
      shard.inRows = Math.max(shard.inRows, shard.delivered);
      for (const { request, costUsd } of batch) {
        request.countedUsd = costUsd;
        request.uncertainUsd = [];
      }
    },
    firstExpiryMs() {
      const undelivered = shards.flatMap(({ records, delivered }) => records.slice(delivered));
      return Math.min(...undelivered.map(({ writtenAtMs }) => writtenAtMs + streamRetentionMs));
    },
    startApplying: () => createApply(client)(batch),
    idle,
    applyChanges: (failure = {}) => gateway.waitFor(createApply(failingClient(client, failure))(batch)),
    async waitFor(work) {
      const beginMs = clock.nowMs;
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      done.catch(() => {});
      for (;;) {
        await idle();
        if (isDone) break;
        clock.advance(250);
      }
      await done;
      return clock.nowMs - beginMs;
    },
    async countersOf(keyId) {
      const scope: BudgetScope = { organizationId, keyId };
      const first = await findCounterItem(budgetCounters, counterKey(scope));
      return first === null ? [] : findCounterItems(budgetCounters, scope, first);
    },
    failEvents(fails) {
      eventsFail = fails;
    },
    startStreamShard() {
      for (const [index, shard] of shards.entries()) {
        shards[index] = { id: newShardId(), records: [], delivered: 0, inRows: 0 };
        if (shard.delivered < shard.records.length)
          throw new Error('The stream shard has undelivered records');
      }
    },
    async raiseLogShards(count) {
      await directory.raiseLogShards(organizationId, count, audit);
    },
  };
  return gateway;
}

export class InjectedFailure extends Error {}

function readOnlyClient(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = async (command: unknown) => {
    if (command instanceof UpdateCommand) throw new InjectedFailure();
    return client.send(command as never);
  };
  return Object.assign(Object.create(client), { send });
}

/** Fails one call, before or after it has taken effect, or all from then on. */
function failingClient(
  client: DynamoDBDocumentClient,
  { failAtCall = Number.POSITIVE_INFINITY, takesEffect = false, isKilled = false }: CallFailure,
): DynamoDBDocumentClient {
  let calls = 0;
  const send = async (command: never) => {
    calls++;
    const isFailing = isKilled ? calls >= failAtCall : calls === failAtCall;
    if (isFailing && !takesEffect) throw new InjectedFailure();
    const output = await client.send(command);
    if (isFailing) throw new InjectedFailure();
    return output;
  };
  return Object.assign(Object.create(client), { send });
}

/** The costs of delivered entries of a period, such as `2026-11`. */
export function deliveredCost(gateway: SimulatedGateway, keyId: string | null, period: string): Usd {
  return gateway.requests
    .filter(({ apiKey }) => keyId === null || apiKey.id === keyId)
    .filter(({ receivedAtMs }) => new Date(receivedAtMs).toISOString().startsWith(period))
    .reduce((sum, { countedUsd }) => addUsd(sum, countedUsd ?? '0'), '0');
}
