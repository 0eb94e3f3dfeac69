/**
 * The fixture of a reprice: an organization, its stream, the rollup function and runs that are killed. The
 * test determines all events and their order.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Repricing } from '#lambdas/costs/reprice/new-price.ts';
import {
  noCounts,
  type RepriceCounts,
  repriceOrganization,
} from '#lambdas/costs/reprice/reprice-organization.ts';
import type { RollupHandler } from '#lambdas/costs/rollups/handler.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { snapshotOf } from '#lambdas/pricing/custom/store.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type OperationName, unnamedOperation } from '#lambdas/request-log/operation.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { StreamRecord } from '#local/event-sources/stream/records.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { type KillPoint, killableClient } from '#test/support/dynamodb/killable-client.ts';
import type { StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import type { TestTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import { flatRates } from './flat-rates.ts';

export interface RepriceFixtureOptions {
  database: EmbeddedDynamoDB;
  tables: TestTables;
  stream: StreamTail;
  organizationId: string;
  shards: number;
}

export interface RepriceFixture extends RepriceFixtureOptions {
  /** Advances with each call. */
  now(): Date;
  /** The number of records that were delivered in order; each may be redelivered. */
  checkpoint: number;
  handler: RollupHandler;
}

interface ListPrice {
  /** In US dollars per million tokens. */
  usd: number;
  isAssumed?: true;
}

/** By model, for each version of the price table. Prices of a tier of their own are twice as high. */
const priceLists: readonly Record<string, ListPrice>[] = [
  { a: { usd: 1 }, e: { usd: 3, isAssumed: true } },
  { a: { usd: 2.5 }, b: { usd: 0.07, isAssumed: true }, e: { usd: 3 } },
  { b: { usd: 0.1 }, c: { usd: 0.000001 }, e: { usd: 0.3, isAssumed: true } },
];

export function createRepriceFixture(options: RepriceFixtureOptions): RepriceFixture {
  let nowMs = Date.UTC(2026, 0, 31, 23, 59, 59);
  const now = () => {
    // Large enough steps to save progress often, and to require confirmations of the lock.
    nowMs += 900;
    return new Date(nowMs);
  };
  const table = { client: options.database.documentClient, tableName: options.tables.costRollups };
  return { ...options, now, checkpoint: 0, handler: rollupFunction({ table, now }) };
}

export interface Request {
  model: string;
  operation?: OperationName;
  serviceTier?: string | null;
  shard: number;
  tokens: number;
  pricing: LogEntry['pricing'];
  minutesBack: number;
}

export async function writeEntry(fixture: RepriceFixture, request: Request): Promise<void> {
  const { model, operation = unnamedOperation, serviceTier = null } = request;
  const { shard, tokens, pricing, minutesBack } = request;
  const id = createLogId(fixture.now().getTime() - minutesBack * 60_000, shard % fixture.shards);
  const usage = { ...noUsage, freshInputTokens: tokens, outputTokens: 1 };
  const isPriced = pricing !== null && pricing !== 'unknown';
  await createSdkLogEntryWriter(logTable(fixture), 90).put(
    logEntry({
      id,
      organization_id: fixture.organizationId,
      model,
      response_model: null,
      user_id: model === 'a' ? 'user' : null,
      operation,
      service_tier: serviceTier,
      ...usageFields(pricing === null ? [] : [{ model: null, usage }], null),
      pricing,
      pricing_version: isPriced ? 'list 0' : null,
      cost_usd: isPriced ? '0.123456789012' : '0',
    }),
  );
}

export interface RepriceOptions {
  list: number;
  entries: Repricing['entries'];
  isDryRun?: boolean;
  kill?: KillPoint | undefined;
  signal?: AbortSignal;
  task?: string;
}

/** Resolves to the counts; `null` when the run was killed. Rejects when it was stopped or has lost its lock. */
export async function reprice(fixture: RepriceFixture, run: RepriceOptions): Promise<RepriceCounts | null> {
  const { client, killed } = killableClient(fixture.database.documentClient, run.kill);
  const counts = { ...noCounts };
  const work = repriceOrganization({
    dependencies: {
      directory: { logShardsOf: async () => fixture.shards },
      logEntries: { ...logTable(fixture), client },
      costRollups: { ...rollupTable(fixture), client },
      now: fixture.now,
      pause: async () => {},
    },
    task: {
      name: run.task ?? `${run.list} ${run.entries}`,
      repricing: {
        entries: run.entries,
        table: priceTableOf(run.list),
        settings: {},
        customPrices: snapshotOf([]),
      },
      startMs: allTime.startMs,
      endMs: fixture.now().getTime(),
      isDryRun: run.isDryRun ?? false,
      mayResume: true,
    },
    organizationId: fixture.organizationId,
    counts,
    signal: run.signal ?? new AbortController().signal,
    onResume: () => {},
    onPage: () => {},
  });
  return Promise.race([work.then(() => counts), killed.then(() => null)]);
}

export function priceTableOf(priceList: number): PriceTable {
  return {
    version: `list ${priceList}`,
    findRates({ model, context }) {
      const price = priceLists[priceList]?.[model];
      if (price === undefined) return null;
      const factor = context.serviceTier === null ? 1 : 2;
      return { ...flatRates(price.usd * factor), isAssumed: price.isAssumed === true };
    },
    findRegion: () => null,
  };
}

/** Delivers `redelivered` old and `next` new records: first only `split` of them, then the whole batch. */
export async function deliver(
  fixture: RepriceFixture,
  batch: { redelivered: number; next: number; split: number },
): Promise<void> {
  const records = await readStreamRecords(fixture);
  const from = Math.max(0, fixture.checkpoint - batch.redelivered);
  const to = Math.min(records.length, fixture.checkpoint + batch.next);
  const splitIndex = Math.min(from + batch.split, to);
  for (const chunk of [records.slice(from, splitIndex), records.slice(from, to)]) {
    await fixture.handler({ shardId: fixture.stream.shardId, Records: chunk });
  }
  fixture.checkpoint = to;
}

export async function readStreamRecords({ stream, organizationId }: RepriceFixture): Promise<StreamRecord[]> {
  const records = await stream.read();
  return records.filter(({ dynamodb }) =>
    dynamodb.Keys?.organization_shard?.S?.startsWith(`${organizationId}#`),
  );
}

export async function storedEntries(fixture: RepriceFixture): Promise<StoredLogEntry[]> {
  const entries: StoredLogEntry[] = [];
  for (let shard = 0; shard < fixture.shards; shard += 1) {
    const range = { organizationId: fixture.organizationId, shard, window: allTime };
    for await (const page of readLogEntryPages(logTable(fixture), range)) entries.push(...page);
  }
  return entries;
}

export function logTable(fixture: RepriceFixture) {
  return {
    client: fixture.database.documentClient,
    tableName: fixture.tables.logEntries,
    now: fixture.now,
  };
}

export function rollupTable(fixture: RepriceFixture): {
  client: DynamoDBDocumentClient;
  tableName: string;
} {
  return { client: fixture.database.documentClient, tableName: fixture.tables.costRollups };
}
