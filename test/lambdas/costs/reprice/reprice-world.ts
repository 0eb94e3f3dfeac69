/**
 * An organization whose entries are priced again, with all that goes on around it: the stream that brings what is
 * written, the function that counts it, and runs that are killed. The test says what happens, and when.
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
import { type PriceTable, type TokenRates, tokenKinds } from '#lambdas/pricing/price.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { StreamRecord } from '#local/stream/stream-records.ts';
import type { EmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/rollup-function.ts';
import type { StreamTail } from '#test/support/stream-tail.ts';
import type { TestTables } from '#test/support/tables.ts';
import { type Killing, killableClient } from './killable-client.ts';

export interface WorldParts {
  database: EmbeddedDynamoDB;
  tables: TestTables;
  stream: StreamTail;
  organizationId: string;
  shards: number;
}

export interface World extends WorldParts {
  /** Goes on a little with each look at it. */
  now(): Date;
  /** How many of its records were delivered in order; each may be delivered again. */
  delivered: number;
  handler: RollupHandler;
}

/** Dollars per million tokens of each model that has a price, in each edition of the price table. */
export const priceLists: readonly Record<string, number>[] = [
  { a: 1 },
  { a: 2.5, b: 0.07 },
  { b: 0.1, c: 0.000001 },
];

export function newWorld(parts: WorldParts): World {
  let nowMs = Date.UTC(2026, 0, 31, 23, 59, 59);
  const now = () => {
    // So that progress is kept often, and a hold has to be confirmed at times.
    nowMs += 900;
    return new Date(nowMs);
  };
  const table = { client: parts.database.documentClient, tableName: parts.tables.costRollups };
  return { ...parts, now, delivered: 0, handler: rollupFunction({ table, now }) };
}

export interface Request {
  model: string;
  shard: number;
  tokens: number;
  pricing: LogEntry['pricing'];
  minutesBack: number;
}

export async function write(world: World, request: Request): Promise<void> {
  const { model, shard, tokens, pricing, minutesBack } = request;
  const id = createLogId(world.now().getTime() - minutesBack * 60_000, shard % world.shards);
  const usage = pricing === null ? null : { ...noUsage, freshInputTokens: tokens, outputTokens: 1 };
  await createSdkLogEntryWriter(logTable(world), 90).put(
    logEntry({
      id,
      organization_id: world.organizationId,
      model,
      response_model: null,
      user_id: model === 'a' ? 'user' : null,
      ...usageFields(usage),
      pricing,
      pricing_version: pricing === 'table' ? 'list 0' : null,
      cost_usd: pricing === 'table' || pricing === 'provider' ? '0.123456789012' : '0',
    }),
  );
}

/** Resolves to what was counted; `null` when the run was killed. Rejects when it was stopped, or had to stop. */
export async function reprice(
  world: World,
  run: { list: number; entries: Repricing['entries']; kill?: Killing; signal?: AbortSignal; task?: string },
): Promise<RepriceCounts | null> {
  const { client, killed } = killableClient(world.database.documentClient, run.kill);
  const counts = { ...noCounts };
  const work = repriceOrganization({
    dependencies: {
      directory: { logShardsOf: async () => world.shards },
      logEntries: { ...logTable(world), client },
      costRollups: { ...rollupTable(world), client },
      now: world.now,
      pause: async () => {},
    },
    task: {
      name: run.task ?? `${run.list} ${run.entries}`,
      repricing: { entries: run.entries, table: tableOf(run.list), settings: {} },
      startMs: allTime.startMs,
      endMs: world.now().getTime(),
      isDryRun: false,
      mayResume: true,
    },
    organizationId: world.organizationId,
    counts,
    signal: run.signal ?? new AbortController().signal,
    onResume: () => {},
    onPage: () => {},
  });
  return Promise.race([work.then(() => counts), killed.then(() => null)]);
}

export function tableOf(list: number): PriceTable {
  return {
    version: `list ${list}`,
    ratesOf({ model }) {
      const usdPerMillion = priceLists[list]?.[model];
      return usdPerMillion === undefined ? null : flatRates(usdPerMillion);
    },
  };
}

function flatRates(usdPerMillion: number): TokenRates {
  const rates = Object.fromEntries(tokenKinds.map((kind) => [kind, usdPerMillion]));
  return { usdPerMillion: rates as TokenRates['usdPerMillion'], usdPerMillionRequests: 0 };
}

/** A batch of the world's records: `again` of those that were delivered, and `next` new ones; then perhaps in pieces. */
export async function deliver(
  world: World,
  batch: { again: number; next: number; cut: number },
): Promise<void> {
  const records = await recordsOf(world);
  const from = Math.max(0, world.delivered - batch.again);
  const to = Math.min(records.length, world.delivered + batch.next);
  const cut = Math.min(from + batch.cut, to);
  for (const piece of [records.slice(from, cut), records.slice(from, to)]) {
    await world.handler({ shardId: world.stream.shardId, Records: piece });
  }
  world.delivered = to;
}

export async function recordsOf({ stream, organizationId }: World): Promise<StreamRecord[]> {
  const records = await stream.read();
  return records.filter(({ dynamodb }) =>
    dynamodb.Keys?.organization_shard?.S?.startsWith(`${organizationId}#`),
  );
}

/** As the table has them. */
export async function storedEntries(world: World): Promise<StoredLogEntry[]> {
  const entries: StoredLogEntry[] = [];
  for (let shard = 0; shard < world.shards; shard += 1) {
    const range = { organizationId: world.organizationId, shard, window: allTime };
    for await (const page of readLogEntryPages(logTable(world), range)) entries.push(...page);
  }
  return entries;
}

export function logTable(world: World) {
  return { client: world.database.documentClient, tableName: world.tables.logEntries, now: world.now };
}

export function rollupTable(world: World): { client: DynamoDBDocumentClient; tableName: string } {
  return { client: world.database.documentClient, tableName: world.tables.costRollups };
}
